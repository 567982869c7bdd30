import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { EventLoopQueue } from "../../event-loop-queue.js";
import { readFloats } from "../../numbers/number-file.js";
import { ByteVectorFile } from "../byte-vector-file.js";
import { byteVectorOf } from "../byte-vectors.js";
import type { QuantizerName } from "../codes/quantizer.js";
import { loadVectors } from "../load-vectors.js";
import { ByteScores } from "../scores/byte-scores.js";
import { TopK } from "../scores/top-k.js";
import { suffices } from "../search-plan.js";
import type { SetStatistics } from "../set-statistics.js";
import { VECTOR_FILES } from "../vector-files.js";
import { buildGraph, type GraphOptions } from "./build-graph.js";
import { OpenGraph } from "./open-graph.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const { graphTrial } = SEARCH_DEFAULTS.vector;
const TRIAL = "trial";
const [TOP, MORE] = [10, 100];

/**
 * Builds a graph of some vectors of a set, and says whether it finds what the certificate asks of one, by the queries that the
 * certificate is measured with. Where it does not, a graph of the whole set is likely to be built in vain. Deterministic.
 * @param dir folder of the set, which has its signed bytes and may have queries
 */
export async function graphMayServe(
  dir: string,
  statistics: SetStatistics,
  quantizer: QuantizerName,
  { threads, width, signal }: GraphOptions,
): Promise<boolean> {
  const trial = join(dir, TRIAL);
  await mkdir(trial);
  try {
    const queries = await writeTrial(dir, trial, width);
    await buildGraph(trial, statistics, quantizer, { threads, width, signal });
    return await findsEnough({ dir: trial, width }, statistics, quantizer, queries, signal);
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

/** Copies evenly spaced vectors, and returns the queries: those that were made from texts, or else vectors of the set. */
async function writeTrial(dir: string, trial: string, width: number | undefined): Promise<Float32Array[]> {
  const all = ByteVectorFile.open(join(dir, VECTOR_FILES.byteVectors), width);
  try {
    const rows = Math.min(graphTrial.rows, all.count);
    const own = byteVectorOf(all.width);
    const stored = new Uint8Array(rows * own);
    for (let i = 0; i < rows; i += 1) all.readBytes(Math.floor((i * all.count) / rows), 1, stored, i * own);
    await writeFile(join(trial, VECTOR_FILES.byteVectors), stored);
    const path = join(dir, VECTOR_FILES.queries);
    const made = existsSync(path) ? readFloats(path) : new Float32Array();
    const given = made.length / FULL || all.count;
    return Array.from({ length: Math.min(graphTrial.queries, given) }, (_, i) => {
      const place = Math.floor(((i + 0.5) * given) / Math.min(graphTrial.queries, given));
      return made.length > 0 ? made.slice(place * FULL, (place + 1) * FULL) : all.read(place);
    });
  } finally {
    all.close();
  }
}

async function findsEnough(
  { dir, width }: { readonly dir: string; readonly width: number | undefined },
  statistics: SetStatistics,
  quantizer: QuantizerName,
  queries: readonly Float32Array[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const vectors = ByteVectorFile.open(join(dir, VECTOR_FILES.byteVectors), width);
  try {
    const graph = await OpenGraph.open(dir, statistics, quantizer);
    const scores = await ByteScores.create(vectors, vectors.count);
    await loadVectors(vectors, [graph, scores], { signal });
    const rows = Uint32Array.from({ length: vectors.count }, (_, row) => row);
    const queue = new EventLoopQueue();
    const sum = { recall10: 0, recall100: 0 };
    for (const query of queries) {
      signal?.throwIfAborted();
      const best = new TopK(MORE);
      scores.score(query, rows, (row, score) => {
        best.offer(row, score);
      });
      const exact = best.sorted().rows;
      const found = new Set(await graph.nearest(query, graphTrial.breadth, queue, { signal }));
      const share = (top: number) =>
        exact.slice(0, top).filter((row) => found.has(row)).length / Math.min(top, exact.length);
      sum.recall10 += share(TOP) / queries.length;
      sum.recall100 += share(MORE) / queries.length;
    }
    return suffices(sum);
  } finally {
    vectors.close();
  }
}
