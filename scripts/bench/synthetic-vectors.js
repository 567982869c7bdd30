import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BLOCK, exactScores, top } from "./exact.js";
import { seeded } from "./random.js";
import { documents, PLATFORMS, questions } from "./texts.js";

const WIDTH = 1536;

/** Rows of one cluster, in the mean. */
const CLUSTER_ROWS = 100;

/** Length of a row's own part, of a centre's length. */
const SPREAD = 0.7;

/** Kinds of vectors that no text made. */
export const SYNTHETIC = ["clusters", "uniform"];

/** Normally distributed numbers (Box and Muller's transform). */
function normal(random) {
  let kept;
  return () => {
    if (kept !== undefined) {
      const value = kept;
      kept = undefined;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    kept = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Draws unit vectors: around centres of their own (`clusters`), or in all directions alike (`uniform`). */
function drawing(kind, size) {
  const random = seeded(3);
  const draw = normal(random);
  const clusters = kind === "clusters" ? Math.max(1, Math.round(size / CLUSTER_ROWS)) : 0;
  const centres = Float32Array.from({ length: clusters * WIDTH }, draw);
  return (into) => {
    const centre = clusters > 0 ? Math.floor(random() * clusters) * WIDTH : undefined;
    let squares = 0;
    for (let i = 0; i < WIDTH; i += 1) {
      into[i] = centre === undefined ? draw() : centres[centre + i] + SPREAD * draw();
      squares += into[i] ** 2;
    }
    const scale = 1 / Math.sqrt(squares);
    for (let i = 0; i < WIDTH; i += 1) into[i] *= scale;
  };
}

/**
 * Writes vectors of documents and of questions, and the exact answers, as the text's own are written by `main.js`.
 * @param {string} folder
 * @param {{ kind: string, size: number, queries: number }} options
 */
export async function writeSynthetic(folder, { kind, size, queries: count }) {
  const draw = drawing(kind, size);
  const texts = questions(count);
  const vectors = texts.map(() => new Float32Array(WIDTH));
  for (const vector of vectors) draw(vector);
  const ids = [];
  /** @type {Map<string, number[]>} */
  const rowsOf = new Map(PLATFORMS.map(({ slug }) => [slug, []]));
  for (const { id, platform } of documents(size)) {
    rowsOf.get(platform)?.push(ids.length);
    ids.push(id);
  }
  const file = await open(join(folder, "vectors.f32"), "w");
  const blocks = async function* () {
    for (let first = 0; first < size; first += BLOCK) {
      const block = new Float32Array(Math.min(BLOCK, size - first) * WIDTH);
      for (let at = 0; at < block.length; at += WIDTH) draw(block.subarray(at, at + WIDTH));
      await file.write(new Uint8Array(block.buffer));
      yield block;
    }
  };
  const scores = await exactScores(vectors, size, blocks());
  await file.close();
  const queries = texts.map((text, q) => {
    const query = { text, exact: top(scores[q], 100).map((row) => ids[row]) };
    for (const { slug } of PLATFORMS.slice(0, 3)) {
      const rows = rowsOf.get(slug) ?? [];
      const among = Float32Array.from(rows, (row) => scores[q][row]);
      query[slug] = top(among, 100).map((place) => ids[rows[place]]);
    }
    return query;
  });
  const all = new Float32Array(vectors.length * WIDTH);
  for (const [q, vector] of vectors.entries()) all.set(vector, q * WIDTH);
  await writeFile(join(folder, "queries.f32"), new Uint8Array(all.buffer));
  await writeFile(join(folder, "queries.json"), JSON.stringify(queries));
}
