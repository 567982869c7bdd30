/**
 * Recall and time of candidate search over vectors, by dimensions, re-rank depth and graph: what the vector defaults were
 * chosen by. usage: node scripts/bench/sweep-vectors.js <folder of npm run bench --folder> [rows] [queries]
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import hnswlib from "hnswlib-node";
import { Kernels, packPanels } from "../../dist/search/vector/kernels.js";
import { principalBasis } from "../../dist/search/vector/pca.js";
import { quantize, quantizeQuery, scalesOf } from "../../dist/search/vector/quantize.js";
import { quantile } from "./measure.js";

const WIDTH = 1536;
const [folder, rowsText = "50000", queriesText = "100"] = process.argv.slice(2);
const COUNT = Number(rowsText);
const SAMPLE = 4096;
const DIMS = [128, 256, 384, 512];
const DEPTHS = [64, 128, 256, 512];
const GRAPHS = [
  { M: 8, efConstruction: 100 },
  { M: 16, efConstruction: 100 },
  { M: 16, efConstruction: 200 },
  { M: 32, efConstruction: 200 },
];
const GRAPH_ROWS = 20_000;

function readVectors() {
  const vectors = new Float32Array(COUNT * WIDTH);
  const file = openSync(join(folder, "vectors.f32"), "r");
  const bytes = new Uint8Array(vectors.buffer);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, Math.min(1 << 28, bytes.length - done), done);
    if (read === 0) throw new RangeError(`vectors.f32 holds fewer than ${COUNT} vectors`);
    done += read;
  }
  closeSync(file);
  return vectors;
}

function readQueries() {
  const bytes = readFileSync(join(folder, "queries.f32"));
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const count = Math.min(Number(queriesText), all.length / WIDTH);
  return Array.from({ length: count }, (_, i) => all.slice(i * WIDTH, (i + 1) * WIDTH));
}

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < WIDTH; i += 1) sum += a[i] * b[i];
  return sum;
};

/** The best `k` of `count` scores, best first. */
function top(scores, count, k) {
  const order = Array.from({ length: count }, (_, i) => i);
  const floor = Float64Array.from(scores.subarray(0, count)).sort()[Math.max(0, count - k)];
  return order
    .filter((i) => scores[i] >= floor)
    .sort((a, b) => scores[b] - scores[a] || a - b)
    .slice(0, k);
}

/** `left` (rows × WIDTH) times `right` (WIDTH × columns), by blocks. */
async function product(left, rows, right, columns, visit) {
  const block = 256;
  const panels = block * WIDTH * 4;
  const out = panels + right.byteLength;
  const kernels = await Kernels.create(out + block * columns * 4);
  packPanels(right, WIDTH, columns, kernels.floats(panels, right.length));
  for (let first = 0; first < rows; first += block) {
    const n = Math.min(block, rows - first);
    kernels.floats(0, n * WIDTH).set(left.subarray(first * WIDTH, (first + n) * WIDTH));
    kernels.multiply(0, Math.ceil(n / 4) * 4, WIDTH, panels, columns, out);
    visit(first, n, kernels.floats(out, n * columns));
  }
}

async function exactAnswers(vectors, queries, rows) {
  const columns = Math.ceil(queries.length / 8) * 8;
  const turned = new Float32Array(WIDTH * columns);
  for (const [c, query] of queries.entries()) {
    for (let k = 0; k < WIDTH; k += 1) turned[k * columns + c] = query[k];
  }
  const scores = queries.map(() => new Float32Array(rows));
  await product(vectors, rows, turned, columns, (first, n, values) => {
    for (let i = 0; i < n; i += 1)
      for (let q = 0; q < queries.length; q += 1) scores[q][first + i] = values[i * columns + q];
  });
  return scores.map((one) => top(one, rows, 10));
}

async function reduceTo(vectors, dims) {
  const sample = new Float32Array(SAMPLE * WIDTH);
  for (let i = 0; i < SAMPLE; i += 1) {
    const row = Math.floor((i * COUNT) / SAMPLE);
    sample.set(vectors.subarray(row * WIDTH, (row + 1) * WIDTH), i * WIDTH);
  }
  const started = performance.now();
  const basis = await principalBasis(sample, SAMPLE, WIDTH, dims);
  const reduced = new Float32Array(COUNT * dims);
  await product(vectors, COUNT, basis, dims, (first, _, values) => reduced.set(values, first * dims));
  return { basis, reduced, seconds: (performance.now() - started) / 1000 };
}

const projected = (query, basis, dims) => {
  const out = new Float64Array(dims);
  query.forEach((x, k) => {
    for (let i = 0; i < dims; i += 1) out[i] += x * basis[k * dims + i];
  });
  return out;
};

function recallAt(depth, candidates, exact, vectors, queries) {
  let found = 0;
  const times = [];
  queries.forEach((query, q) => {
    const started = performance.now();
    const rows = candidates[q].slice(0, depth);
    const scores = Float64Array.from(rows, (row) =>
      dot(query, vectors.subarray(row * WIDTH, (row + 1) * WIDTH)),
    );
    const best = new Set(top(scores, rows.length, 10).map((i) => rows[i]));
    times.push(performance.now() - started);
    found += exact[q].filter((row) => best.has(row)).length;
  });
  return { recall: found / (10 * queries.length), ms: quantile(times, 0.5) };
}

async function main() {
  const vectors = readVectors();
  const queries = readQueries();
  console.log(
    `${COUNT} vectors of real text, ${queries.length} questions; ${cpus().length} cores, Node ${process.version}\n`,
  );
  console.log(
    "| PCA dims | reduce s | scan p50 ms | recall@10 by depth " +
      DEPTHS.join(" / ") +
      " |\n|---:|---:|---:|---|",
  );
  const exact = await exactAnswers(vectors, queries, COUNT);
  for (const dims of DIMS) {
    const { basis, reduced, seconds } = await reduceTo(vectors, dims);
    const largest = new Float32Array(dims);
    reduced.forEach((x, i) => {
      largest[i % dims] = Math.max(largest[i % dims], Math.abs(x));
    });
    const scales = scalesOf(largest);
    const at = 4096 + COUNT * 4;
    const kernels = await Kernels.create(at + COUNT * dims);
    quantize(reduced, dims, scales, new Int8Array(kernels.bytes.buffer, at, COUNT * dims));
    const times = [];
    const candidates = queries.map((query) => {
      quantizeQuery(projected(query, basis, dims), scales, kernels.shorts(0, dims));
      const started = performance.now();
      kernels.scanRun(at, COUNT, dims, 0, 4096);
      times.push(performance.now() - started);
      return top(kernels.integers(4096, COUNT), COUNT, DEPTHS.at(-1));
    });
    const recalls = DEPTHS.map((depth) =>
      recallAt(depth, candidates, exact, vectors, queries).recall.toFixed(4),
    );
    console.log(
      `| ${dims} | ${seconds.toFixed(1)} | ${quantile(times, 0.5).toFixed(2)} | ${recalls.join(" / ")} |`,
    );
    if (dims === 384) await sweepGraphs(reduced, dims, basis, vectors, queries);
  }
}

const lines = [];
async function sweepGraphs(reduced, dims, basis, vectors, queries) {
  const exact = await exactAnswers(vectors, queries, GRAPH_ROWS);
  for (const { M, efConstruction } of GRAPHS) {
    const graph = new hnswlib.HierarchicalNSW("ip", dims);
    graph.initIndex(GRAPH_ROWS, M, efConstruction, 100);
    const started = performance.now();
    for (let row = 0; row < GRAPH_ROWS; row += 1)
      graph.addPoint(Array.from(reduced.subarray(row * dims, (row + 1) * dims)), row);
    const build = (performance.now() - started) / GRAPH_ROWS;
    const cells = [];
    for (const ef of [128, 256, 512]) {
      graph.setEf(ef);
      const times = [];
      const candidates = queries.map((query) => {
        const point = Array.from(projected(query, basis, dims));
        const begun = performance.now();
        const { neighbors } = graph.searchKnn(point, ef);
        times.push(performance.now() - begun);
        return neighbors;
      });
      const { recall } = recallAt(ef, candidates, exact, vectors, queries);
      cells.push(`${recall.toFixed(4)} in ${quantile(times, 0.5).toFixed(2)} ms`);
    }
    lines.push(`| ${M} | ${efConstruction} | ${build.toFixed(3)} | ${cells.join(" | ")} |`);
  }
}

main().then(
  () => {
    console.log(
      `\n| M | efConstruction | build ms a vector | ef 128 | ef 256 | ef 512 |\n|---:|---:|---:|---|---|---|\n${lines.join("\n")}`,
    );
    console.log(`\nGraphs over the first ${GRAPH_ROWS} vectors, in 384 dimensions; as many re-ranked as ef.`);
  },
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
