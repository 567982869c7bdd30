import { built } from "../built.js";

const { Kernels, packPanels } = /** @type {typeof import("../../src/search/vector/kernels.js")} */ (
  await built("search/vector/kernels.js")
);

const WIDTH = 1536;

/** Rows that are multiplied at a time. */
export const BLOCK = 256;

/** The `k` rows of largest score, best first. */
export function top(scores, k) {
  if (scores.length <= k)
    return Array.from(scores, (_, i) => i).sort((a, b) => scores[b] - scores[a] || a - b);
  const floor = scores.slice().sort()[scores.length - k];
  const order = [];
  for (let i = 0; i < scores.length; i += 1) if (scores[i] >= floor) order.push(i);
  return order.sort((a, b) => scores[b] - scores[a] || a - b).slice(0, k);
}

/** Gives a function of a block of at most {@link BLOCK} rows: these times `right` (WIDTH × columns), to be read before the next call. */
async function multiplier(right, columns) {
  const panels = BLOCK * WIDTH * 4;
  const out = panels + right.byteLength;
  const kernels = Kernels.create(out + BLOCK * columns * 4);
  packPanels(right, WIDTH, columns, kernels.floats(panels, right.length));
  return (left) => {
    const n = left.length / WIDTH;
    kernels.floats(0, left.length).set(left);
    kernels.multiply(0, Math.ceil(n / 4) * 4, WIDTH, panels, columns, out);
    return kernels.floats(out, n * columns);
  };
}

/** `left` (rows × WIDTH) times `right` (WIDTH × columns), by blocks. */
export async function product(left, rows, right, columns, visit) {
  const multiply = await multiplier(right, columns);
  for (let first = 0; first < rows; first += BLOCK) {
    const n = Math.min(BLOCK, rows - first);
    visit(first, n, multiply(left.subarray(first * WIDTH, (first + n) * WIDTH)));
  }
}

/**
 * Inner products of every row with every query, a Float32Array of all rows for each query.
 * @param {Float32Array[]} queries
 * @param {number} rows
 * @param {Iterable<Float32Array> | AsyncIterable<Float32Array>} blocks the rows, at most {@link BLOCK} at a time
 */
export async function exactScores(queries, rows, blocks) {
  const columns = Math.ceil(queries.length / 8) * 8;
  const turned = new Float32Array(WIDTH * columns);
  for (const [c, query] of queries.entries()) {
    for (let k = 0; k < WIDTH; k += 1) turned[k * columns + c] = query[k];
  }
  const multiply = await multiplier(turned, columns);
  const scores = queries.map(() => new Float32Array(rows));
  let first = 0;
  for await (const block of blocks) {
    const values = multiply(block);
    const n = block.length / WIDTH;
    for (let i = 0; i < n; i += 1)
      for (let q = 0; q < queries.length; q += 1) scores[q][first + i] = values[i * columns + q];
    first += n;
  }
  return scores;
}
