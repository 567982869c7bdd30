import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deriveFixtures } from "./fixture-sources/derive.js";
import { microblog } from "./fixture-sources/microblog.js";
import { newswire } from "./fixture-sources/newswire.js";
import { writeParquet } from "./fixture-sources/parquet.js";
import { priceHistory } from "./fixture-sources/price-history.js";
import { Random } from "./fixture-sources/random.js";
import { shortVideo } from "./fixture-sources/short-video.js";

const SEED = 20260529;

const PRICE_COLUMNS = `{${[
  "fecha_snapshot VARCHAR",
  "marca_temporal_extraccion VARCHAR",
  "id_ubicacion VARCHAR",
  "provincia VARCHAR",
  "codigo_postal VARCHAR",
  "codigo_almacen VARCHAR",
  "id_seccion BIGINT",
  "seccion VARCHAR",
  "id_categoria BIGINT",
  "categoria VARCHAR",
  "id_producto VARCHAR",
  "producto VARCHAR",
  "slug VARCHAR",
  "marca INTEGER",
  "formato_envase VARCHAR",
  "url_imagen VARCHAR",
  "url_producto VARCHAR",
  "precio DOUBLE",
  "precio_referencia DOUBLE",
  "cantidad_unidad DOUBLE",
  "formato_cantidad VARCHAR",
  "porcentaje_iva DOUBLE",
  "es_novedad INTEGER",
  "disponible BOOLEAN",
  "producto_json VARCHAR",
]
  .map((column) => column.replace(/^(\S+) (\S+)$/, '"$1":"$2"'))
  .join(",")}}`;

/**
 * Writes the generated fixtures: the same seed gives the same bytes.
 * @param {string} out
 * @returns {Promise<void>}
 */
export async function generateFixtures(out, seed = SEED) {
  /**
   * @param {string} path
   * @param {readonly unknown[]} rows
   */
  const jsonl = async (path, rows) => {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await writeFile(join(out, path), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  };
  // Each set has randomness of its own, so that changing one leaves the others' bytes alone.
  const videos = shortVideo(new Random(seed));
  await jsonl("social_short_video_native/videos_flat.jsonl", videos.videos);
  await jsonl("social_short_video_native/comments_flat.jsonl", videos.comments);
  const blog = microblog(new Random(seed + 1));
  await jsonl("social_weibo_zh/posts.jsonl", blog.posts);
  await jsonl("social_weibo_zh/comments.jsonl", blog.comments);
  await jsonl("newswire/articles.jsonl", newswire(new Random(seed + 2)));
  const prices = priceHistory(new Random(seed + 3));
  const files = new Map();
  for (const { day, store, fields } of prices) {
    const path = `ecom_price_history_es/snapshot_date=${day}/${store}.parquet`;
    files.set(path, [...(files.get(path) ?? []), fields]);
  }
  for (const [path, rows] of files) await writeParquet(join(out, path), rows, PRICE_COLUMNS);
}

/** Folder of the real collections beside the repository. */
export const REAL_DATA = fileURLToPath(new URL("../../shared/data", import.meta.url));

const FIXTURES = fileURLToPath(new URL("../fixtures/demo", import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = process.argv[2] ?? FIXTURES;
  await generateFixtures(out);
  if (existsSync(REAL_DATA)) await deriveFixtures(REAL_DATA, out);
  else process.stderr.write(`${REAL_DATA} is absent: only the generated fixtures were written\n`);
}
