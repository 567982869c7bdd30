/**
 * Recall and time of candidate search over a vector set of a real lake: what the vector defaults were chosen by. Questions that people
 * wrote, one a line; by columns at several breadths and depths, and by an HNSW graph over all dimensions.
 * usage: node scripts/bench/sweep-vectors.js <lake> <file of questions> [graph: M,efConstruction]
 */
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import hnswlib from "hnswlib-node";
import { built } from "../built.js";
import { quantile } from "./measure.js";

const { openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("index.js"));
const { VectorSet } = /** @type {typeof import("../../src/search/vector/vector-set.js")} */ (
  await built("search/vector/vector-set.js")
);
const { readVectorSetManifest } =
  /** @type {typeof import("../../src/search/vector/vector-set-manifest.js")} */ (
    await built("search/vector/vector-set-manifest.js")
  );

const WIDTH = 1536;
const [lake, questions, graph] = process.argv.slice(2);
if (lake === undefined || questions === undefined)
  throw new RangeError("usage: sweep-vectors.js <lake> <file of questions> [graph: M,efConstruction]");

const client = await openLake(lake, { limits: "off" });
/** @type {Float32Array[]} */
const queries = [];
for (const line of readFileSync(questions, "utf8").split("\n").filter(Boolean)) {
  const vector = await client.lake.index.embedQuery(line);
  if (vector !== undefined) queries.push(vector);
}
await client.close();

const generation = String(
  Math.max(...(await readdir(join(lake, "generations"))).map(Number).filter(Number.isInteger)),
);
const search = join(lake, "generations", generation, "search");
for (const segment of (await readdir(search)).filter((name) => name.startsWith("segment-"))) {
  const dir = join(search, segment, "local");
  const set = await VectorSet.open(dir, await readVectorSetManifest(dir));
  console.log(`${segment}: ${set.count} vectors, ${queries.length} questions`);
  console.log("| by | p50 ms | p99 ms | recall@10 | recall@100 |\n|---|---:|---:|---:|---:|");
  const exact = [];
  const times = [];
  for (const query of queries) {
    const began = performance.now();
    exact.push((await set.nearest(query, 100, { exact: true })).rows);
    times.push(performance.now() - began);
  }
  report("exact", times, exact, exact);
  for (const breadth of [96, 128, 192, 256, 384, 768]) {
    for (const depth of [512, 1024, 2048, 4096, 8192]) {
      const found = [];
      const times = [];
      for (const query of queries) {
        const began = performance.now();
        found.push((await set.nearest(query, 100, { step: { by: "columns", breadth, depth, run: 0 } })).rows);
        times.push(performance.now() - began);
      }
      report(`columns ${breadth}, ${depth}`, times, found, exact);
    }
  }
  if (graph !== undefined) byGraph(set, exact);
  set.close();
}

/** An HNSW graph over all dimensions; equal vectors are one node, zeros none. */
function byGraph(set, exact) {
  const [M, efConstruction] = graph.split(",").map(Number);
  const index = new hnswlib.HierarchicalNSW("ip", WIDTH);
  index.initIndex(set.count, M, efConstruction, 100);
  const twins = new Map();
  const began = performance.now();
  for (let row = 0; row < set.count; row += 1) {
    const vector = set.vector(row);
    const key = Buffer.from(vector.buffer).toString("latin1");
    const twin = twins.get(key);
    if (twin !== undefined) twin.push(row);
    else if (vector.some((value) => value !== 0)) {
      twins.set(key, [row]);
      index.addPoint(Array.from(vector), row);
    }
  }
  console.log(`graph of ${twins.size} nodes built in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const byFirst = new Map([...twins.values()].map((rows) => [rows[0], rows]));
  for (const ef of [128, 256, 512, 1024]) {
    index.setEf(ef);
    const found = [];
    const times = [];
    for (const query of queries) {
      const began = performance.now();
      const nodes = index.searchKnn(Array.from(query), Math.min(ef, twins.size)).neighbors;
      times.push(performance.now() - began);
      found.push(nodes.flatMap((row) => byFirst.get(row)));
    }
    report(`graph M ${M}, ef ${ef}`, times, found, exact);
  }
}

function report(name, times, found, exact) {
  const recall = (k) => {
    const shares = exact.map((rows, i) => {
      const near = new Set(found[i]);
      const ideal = rows.slice(0, k);
      return ideal.filter((row) => near.has(row)).length / ideal.length;
    });
    return (shares.reduce((a, b) => a + b, 0) / shares.length).toFixed(4);
  };
  const at = (share) => quantile(times, share).toFixed(2);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.99)} | ${recall(10)} | ${recall(100)} |`);
}
