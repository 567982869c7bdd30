import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ARRAY, DOUBLE, DuckDBDataChunk, DuckDBInstance, FLOAT, INTEGER, VARCHAR } from "@duckdb/node-api";
/** @import { DuckDBArrayVector } from "@duckdb/node-api" */
import { DIMENSIONS, writeVector } from "./given-vectors.js";
import { MONTHS, PLATFORMS } from "./mapping.js";
import { seeded } from "./random.js";
import { LANGUAGES, Texts } from "./texts.js";

const PART_ROWS = 20_480;
const CHUNK_ROWS = 2048;
/** Of the videos, one in so many has comments: fifty of them in the mean. */
const COMMENTED = 50;

const COLUMNS = {
  id: VARCHAR,
  platform: VARCHAR,
  lang: VARCHAR,
  captured_at: VARCHAR,
  text: VARCHAR,
  uid: VARCHAR,
  followers: INTEGER,
  likes: INTEGER,
  comments: INTEGER,
  plays: INTEGER,
  price: INTEGER,
  rating: DOUBLE,
  score: DOUBLE,
  label: VARCHAR,
  vector: ARRAY(FLOAT, DIMENSIONS),
};

/**
 * Number of a short video as its platform's id.
 * @param {number} n
 * @returns {string}
 */
export function videoId(n) {
  return String(7_000_000_000_000_000_000n + BigInt(n));
}

/**
 * Numbers of the videos among so many records, and of those that have comments.
 * @param {number} records
 * @returns {{ all: number[]; commented: number[] }}
 */
export function videos(records) {
  /** @type {number[]} */
  const all = [];
  for (let n = 0; n < records; n++) if (platformOf(n) === "short-video") all.push(n);
  return { all, commented: all.filter((_, i) => i % COMMENTED === 0) };
}

/**
 * @param {number} n
 * @returns {(typeof PLATFORMS)[number]}
 */
function platformOf(n) {
  return PLATFORMS[n % PLATFORMS.length];
}

/**
 * Writes `posts-*.parquet` (a row a record, with a vector of 256 numbers around one of 2,000 topics, padded with zeros and of
 * unit length) and `comments.jsonl` (a quarter as many). The same number gives the same rows.
 * @param {number} records
 * @param {string} data
 * @param {string} out
 * @returns {Promise<void>}
 */
export async function generate(records, data, out) {
  await mkdir(out, { recursive: true });
  const random = seeded(records);
  const texts = new Texts(data, random);
  const instance = await DuckDBInstance.create(":memory:", { threads: "2", memory_limit: "1GB" });
  const db = await instance.connect();
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  for (let first = 0, part = 0; first < records; first += PART_ROWS, part++) {
    await db.run(`CREATE OR REPLACE TABLE posts (${columns.join(", ")})`);
    const appender = await db.createAppender("posts");
    const end = Math.min(records, first + PART_ROWS);
    for (let n = first; n < end; n += CHUNK_ROWS) {
      appender.appendDataChunk(posts(n, Math.min(end, n + CHUNK_ROWS), random, texts));
    }
    appender.flushSync();
    appender.closeSync();
    const path = join(out, `posts-${String(part).padStart(4, "0")}.parquet`).replaceAll("'", "''");
    await db.run(`COPY posts TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10240)`);
  }
  db.closeSync();
  instance.closeSync();
  await writeComments(records, texts, random, join(out, "comments.jsonl"));
}

/**
 * Records by number, up to but without `to`.
 * @param {number} from
 * @param {number} to
 * @param {(below: number) => number} random
 * @param {Texts} texts
 * @returns {DuckDBDataChunk}
 */
function posts(from, to, random, texts) {
  const types = Object.values(COLUMNS);
  const chunk = DuckDBDataChunk.create(types, to - from);
  const rows = Array.from({ length: to - from }, (_, i) => {
    const lang = LANGUAGES[random(LANGUAGES.length)];
    const score = (random(2001) - 1000) / 100;
    return [
      videoId(from + i),
      platformOf(from + i),
      lang,
      instant(random),
      texts.make(lang),
      `u${random(200_000)}`,
      ...[1e6, 1e5, 1e4, 1e7, 1e6].map(random),
      random(51) / 10,
      score,
      score < 0 ? "negative" : "positive",
    ];
  });
  for (let column = 0; column < types.length - 1; column++) {
    chunk.setColumnValues(
      column,
      rows.map((row) => row[column]),
    );
  }
  const vectors = /** @type {DuckDBArrayVector} */ (chunk.getColumnVector(types.length - 1));
  // Written in place: 1536 values one by one take longer than all the rest.
  const { childData } = /** @type {{ childData: { items: Float32Array } }} */ (
    /** @type {unknown} */ (vectors)
  );
  const floats = childData.items;
  floats.fill(0); // what the engine hands out is not
  for (let i = 0; i < rows.length; i++) writeVector(floats.subarray(i * DIMENSIONS), from + i);
  vectors.flush();
  return chunk;
}

/**
 * @param {number} records
 * @param {Texts} texts
 * @param {(below: number) => number} random
 * @param {string} path
 * @returns {Promise<void>}
 */
async function writeComments(records, texts, random, path) {
  const { all, commented } = videos(records);
  const file = createWriteStream(path);
  for (let n = 0; n < all.length; n++) {
    const lang = LANGUAGES[random(LANGUAGES.length)];
    const comment = {
      cid: String(9_000_000_000_000_000 + n),
      video: videoId(commented[random(commented.length)]),
      lang,
      captured_at: instant(random),
      created_at: instant(random),
      text: texts.make(lang),
      likes: random(10_000),
      uid: `u${random(200_000)}`,
      nickname: `user ${random(200_000)}`,
    };
    if (!file.write(`${JSON.stringify(comment)}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}

/**
 * @param {(below: number) => number} random
 * @returns {string}
 */
function instant(random) {
  /** @param {number} below */
  const two = (below, from = 0) => String(from + random(below)).padStart(2, "0");
  return `${MONTHS[random(MONTHS.length)]}-${two(28, 1)}T${two(24)}:${two(60)}:${two(60)}Z`;
}
