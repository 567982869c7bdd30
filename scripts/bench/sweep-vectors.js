/**
 * Recall and time of candidate search over vectors, by sketches, 4-bit codes and graphs: what the vector defaults were chosen by.
 * usage: node scripts/bench/sweep-vectors.js <folder of npm run bench --folder> [rows] [queries] [rows of the graphs' grid]
 */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import hnswlib from "hnswlib-node";
import { built } from "../built.js";
import { BLOCK, exactScores, product, top } from "./exact.js";
import { quantile } from "./measure.js";

const { principalBasis } = /** @type {typeof import("../../src/search/vector/codes/pca.js")} */ (
  await built("search/vector/codes/pca.js")
);
const { QUANTIZERS, quantize } = /** @type {typeof import("../../src/search/vector/codes/quantizer.js")} */ (
  await built("search/vector/codes/quantizer.js")
);
const { blockBytes, groupsOf, packBinaryCode, BINARY_CODE_ROWS, binaryCodeTables } =
  /** @type {typeof import("../../src/search/vector/codes/binary-code.js")} */ (
    await built("search/vector/codes/binary-code.js")
  );
const { Kernels } = /** @type {typeof import("../../src/search/vector/kernels.js")} */ (
  await built("search/vector/kernels.js")
);

const WIDTH = 1536;
const [folder, rowsText = "100000", queriesText = "120", gridText = "20000"] = process.argv.slice(2);
const COUNT = Number(rowsText);
const GRID = Number(gridText);
const SAMPLE = 4096;
const REDUCED = 384;
const SKETCHES = [
  { dims: 512, bits: 1 },
  { dims: 768, bits: 1 },
  { dims: 1024, bits: 1 },
  { dims: 256, bits: 2 },
  { dims: 384, bits: 2 },
  { dims: 192, bits: 4 },
];
const CHOSEN = SKETCHES[1];
const DEPTHS = [512, 1024, 2048, 4096, 8192];
const KEPT = [128, 256, 512];
const GRAPHS = [
  { M: 8, efConstruction: 100 },
  { M: 8, efConstruction: 200 },
  { M: 16, efConstruction: 100 },
  { M: 16, efConstruction: 200 },
  { M: 32, efConstruction: 200 },
];

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

function* blocksOf(vectors, rows) {
  for (let first = 0; first < rows; first += BLOCK)
    yield vectors.subarray(first * WIDTH, Math.min(rows, first + BLOCK) * WIDTH);
}

/** By query: the 100 nearest of the first `rows` vectors. */
async function exactAnswers(vectors, queries, rows) {
  const scores = await exactScores(queries, rows, blocksOf(vectors, rows));
  return scores.map((one) => top(one, 100));
}

/** Shares of the exact first 10 and first 100 that are among the candidates. */
function recalls(exact, candidates) {
  const share = (k) => {
    let found = 0;
    exact.forEach((rows, q) => {
      const there = new Set(candidates[q]);
      found += rows.slice(0, k).filter((row) => there.has(row)).length;
    });
    return (found / (k * exact.length)).toFixed(4);
  };
  return `${share(10)}, ${share(100)}`;
}

function statisticsOf(vectors) {
  const mean = new Float64Array(WIDTH);
  const squares = new Float64Array(WIDTH);
  for (let i = 0; i < vectors.length; i += 1) {
    mean[i % WIDTH] += vectors[i] / COUNT;
    squares[i % WIDTH] += vectors[i] ** 2 / COUNT;
  }
  return {
    mean: Float32Array.from(mean),
    deviation: Float32Array.from(squares, (sum, i) => Math.sqrt(Math.max(0, sum - mean[i] ** 2))),
  };
}

async function scanSketches(vectors, queries, statistics, shape) {
  const size = blockBytes(shape);
  const [sumsAt, codesAt] = [8192, 8192 + COUNT * 2 + 64];
  const kernels = await Kernels.create(codesAt + Math.ceil(COUNT / BINARY_CODE_ROWS) * size);
  const codes = new Uint8Array(shape.dims);
  for (let row = 0; row < COUNT; row += 1) {
    quantize(
      vectors.subarray(row * WIDTH, row * WIDTH + shape.dims),
      statistics,
      QUANTIZERS[shape.bits],
      codes,
    );
    const at = codesAt + Math.floor(row / BINARY_CODE_ROWS) * size;
    packBinaryCode(codes, row % BINARY_CODE_ROWS, shape, kernels.bytes.subarray(at, at + size));
  }
  const times = [];
  const sums = queries.map((query) => {
    const started = performance.now();
    const weights = Float64Array.from(statistics.deviation, (deviation, i) => deviation * query[i]);
    binaryCodeTables(weights, shape, kernels.bytes);
    kernels.sumTables(codesAt, Math.ceil(COUNT / BINARY_CODE_ROWS), groupsOf(shape), 0, sumsAt);
    times.push(performance.now() - started);
    return kernels.sums(sumsAt, COUNT).slice();
  });
  return { ms: quantile(times, 0.5), candidates: sums.map((one) => top(one, DEPTHS.at(-1))) };
}

/** Candidates in the order of their 4-bit codes. */
function byCodes(vectors, queries, statistics, candidates) {
  const codes = new Uint8Array(WIDTH);
  const { levels } = QUANTIZERS[4];
  return candidates.map((rows, q) => {
    const scores = Float64Array.from(rows, (row) => {
      quantize(vectors.subarray(row * WIDTH, (row + 1) * WIDTH), statistics, QUANTIZERS[4], codes);
      let sum = 0;
      for (let i = 0; i < WIDTH; i += 1) sum += queries[q][i] * statistics.deviation[i] * levels[codes[i]];
      return sum;
    });
    return top(scores, rows.length).map((place) => rows[place]);
  });
}

async function reduce(vectors) {
  const sample = new Float32Array(SAMPLE * WIDTH);
  for (let i = 0; i < SAMPLE; i += 1) {
    const row = Math.floor((i * COUNT) / SAMPLE);
    sample.set(vectors.subarray(row * WIDTH, (row + 1) * WIDTH), i * WIDTH);
  }
  const started = performance.now();
  const basis = await principalBasis(sample, SAMPLE, WIDTH, REDUCED);
  const reduced = new Float32Array(COUNT * REDUCED);
  await product(vectors, COUNT, basis, REDUCED, (first, _, values) => reduced.set(values, first * REDUCED));
  return { basis, reduced, seconds: (performance.now() - started) / 1000 };
}

const projected = (query, basis) => {
  const out = new Float64Array(REDUCED);
  query.forEach((x, k) => {
    for (let i = 0; i < REDUCED; i += 1) out[i] += x * basis[k * REDUCED + i];
  });
  return Array.from(out);
};

async function graphLine({ basis, reduced }, { M, efConstruction }, rows, breadths, queries, exact) {
  const graph = new hnswlib.HierarchicalNSW("ip", REDUCED);
  graph.initIndex(rows, M, efConstruction, 100);
  const started = performance.now();
  for (let row = 0; row < rows; row += 1)
    graph.addPoint(Array.from(reduced.subarray(row * REDUCED, (row + 1) * REDUCED)), row);
  const build = (performance.now() - started) / rows;
  const cells = breadths.map((ef) => {
    graph.setEf(ef);
    const times = [];
    const candidates = queries.map((query) => {
      const point = projected(query, basis);
      const begun = performance.now();
      const { neighbors } = graph.searchKnn(point, ef);
      times.push(performance.now() - begun);
      return neighbors;
    });
    return `${recalls(exact, candidates)} in ${quantile(times, 0.5).toFixed(1)} ms`;
  });
  return `| ${rows} | ${M} | ${efConstruction} | ${build.toFixed(3)} | ${cells.join(" | ")} |`;
}

async function main() {
  const vectors = readVectors();
  const queries = readQueries();
  console.log(
    `${COUNT} vectors, ${queries.length} questions; ${cpus().length} cores, Node ${process.version}\n`,
  );
  const exact = await exactAnswers(vectors, queries, COUNT);
  const statistics = statisticsOf(vectors);
  console.log(`| sketch | bytes | scan p50 ms | ${DEPTHS.map((depth) => `among ${depth}`).join(" | ")} |`);
  console.log(`|---|---:|---:|${"---:|".repeat(DEPTHS.length)}`);
  let chosen;
  for (const shape of SKETCHES) {
    const { ms, candidates } = await scanSketches(vectors, queries, statistics, shape);
    if (shape === CHOSEN) chosen = candidates;
    const cells = DEPTHS.map((depth) =>
      recalls(
        exact,
        candidates.map((rows) => rows.slice(0, depth)),
      ),
    );
    const bytes = (shape.dims * shape.bits) / 8;
    console.log(`| ${shape.dims} × ${shape.bits} bit | ${bytes} | ${ms.toFixed(2)} | ${cells.join(" | ")} |`);
  }
  console.log(
    `\n| of ${CHOSEN.dims} × ${CHOSEN.bits} bit | ${KEPT.map((kept) => `${kept} by 4-bit codes`).join(" | ")} |`,
  );
  console.log(`|---|${"---:|".repeat(KEPT.length)}`);
  for (const depth of DEPTHS) {
    const ordered = byCodes(
      vectors,
      queries,
      statistics,
      chosen.map((rows) => rows.slice(0, depth)),
    );
    const cells = KEPT.map((kept) =>
      recalls(
        exact,
        ordered.map((rows) => rows.slice(0, kept)),
      ),
    );
    console.log(`| ${depth} | ${cells.join(" | ")} |`);
  }
  const reduction = await reduce(vectors);
  const breadths = [256, 1024, 4096];
  console.log(
    `\nGraphs over ${REDUCED} principal directions, fitted and multiplied in ${reduction.seconds.toFixed(0)} s.\n`,
  );
  console.log(
    `| rows | M | efConstruction | build ms a vector | ${breadths.map((ef) => `ef ${ef}`).join(" | ")} |`,
  );
  console.log(`|---:|---:|---:|---:|${"---:|".repeat(breadths.length)}`);
  const exactGrid = await exactAnswers(vectors, queries, GRID);
  for (const graph of GRAPHS)
    console.log(await graphLine(reduction, graph, GRID, breadths, queries, exactGrid));
  console.log(await graphLine(reduction, GRAPHS[3], COUNT, breadths, queries, exact));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
