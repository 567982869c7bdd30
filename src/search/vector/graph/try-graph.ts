import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { readFloats } from "../../numbers/number-file.js";
import { QueryReducer, type Reduction, reduceAll } from "../codes/reduce.js";
import { suffices } from "../search-plan.js";
import { TopK } from "../top-k.js";
import { VECTOR_FILES } from "../vector-files.js";
import type { Vectors } from "../vectors.js";
import { GraphNodes } from "./graph-nodes.js";
import { buildGraph, type GraphLibrary } from "./hnsw.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const { graphTrial } = SEARCH_DEFAULTS.vector;
const BLOCK = 256;
const [TOP, MORE] = [10, 100];

/**
 * Builds a graph of some vectors of a set, and says whether it finds what the certificate asks for, by the queries that the
 * certificate is measured with. Where it does not, a graph of the whole set is likely to be built in vain. Deterministic.
 * @param dir folder of the set, which may have queries
 */
export async function graphMayServe(
  library: GraphLibrary & { available: true },
  dir: string,
  vectors: Vectors,
  reduction: Reduction,
  signal?: AbortSignal,
): Promise<boolean> {
  const some = new EvenVectors(vectors, Math.min(graphTrial.rows, vectors.count));
  const nodes = new GraphNodes();
  const reduced = new Float32Array(some.count * reduction.dims);
  let kept = 0;
  let row = 0;
  for await (const { rows, values } of reduceAll(some, reduction, signal)) {
    for (let i = 0; i < rows; i += 1) {
      const vector = values.subarray(i * reduction.dims, (i + 1) * reduction.dims);
      if (nodes.offer(row++, vector)) reduced.set(vector, reduction.dims * kept++);
    }
  }
  const graph = buildGraph(library, reduction.dims, nodes.rows, (from, count, into) =>
    into.set(reduced.subarray(from * reduction.dims, (from + count) * reduction.dims)),
  );
  const depth = Math.min(graphTrial.depth, kept);
  graph.setEf(depth);
  const reducer = await QueryReducer.create(reduction);
  const queries = trialQueries(dir, vectors);
  const exact = await nearestAmong(some, nodes.rows, queries, signal);
  const sum = { recall10: 0, recall100: 0 };
  for (const [q, query] of queries.entries()) {
    const found = new Set(graph.searchKnn(Array.from(reducer.reduce(query)), depth).neighbors);
    const share = (top: number) => {
      const wanted = exact[q]!.slice(0, top);
      return wanted.length === 0 ? 1 : wanted.filter((one) => found.has(one)).length / wanted.length;
    };
    sum.recall10 += share(TOP) / queries.length;
    sum.recall100 += share(MORE) / queries.length;
  }
  return suffices(sum);
}

/** Evenly spaced vectors of a set. */
class EvenVectors implements Vectors {
  constructor(
    private readonly all: Vectors,
    readonly count: number,
  ) {}

  readRun(first: number, count: number, into: Float32Array): void {
    for (let i = 0; i < count; i += 1)
      this.all.readRun(this.place(first + i), 1, into.subarray(i * FULL, (i + 1) * FULL));
  }

  read(position: number): Float32Array {
    return this.all.read(this.place(position));
  }

  close(): void {}

  private place(position: number): number {
    return Math.floor((position * this.all.count) / this.count);
  }
}

/** Some of the queries that were made from texts, or else vectors of the set. */
function trialQueries(dir: string, vectors: Vectors): Float32Array[] {
  const path = join(dir, VECTOR_FILES.queries);
  const made = existsSync(path) ? readFloats(path) : new Float32Array();
  const all = made.length / FULL || vectors.count;
  const count = Math.min(graphTrial.queries, all);
  return Array.from({ length: count }, (_, i) => {
    const place = Math.floor(((i + 0.5) * all) / count);
    return made.length > 0 ? made.slice(place * FULL, (place + 1) * FULL) : vectors.read(place);
  });
}

/** The nodes nearest to each query, best first, by all dimensions. */
async function nearestAmong(
  vectors: Vectors,
  nodes: Uint32Array,
  queries: readonly Float32Array[],
  signal?: AbortSignal,
): Promise<number[][]> {
  const best = queries.map(() => new TopK(MORE));
  const isNode = new Set(nodes);
  const block = new Float32Array(BLOCK * FULL);
  for (let first = 0; first < vectors.count; first += BLOCK) {
    signal?.throwIfAborted();
    const count = Math.min(BLOCK, vectors.count - first);
    vectors.readRun(first, count, block);
    for (let i = 0; i < count; i += 1) {
      if (!isNode.has(first + i)) continue;
      const vector = block.subarray(i * FULL, (i + 1) * FULL);
      queries.forEach((query, q) => {
        let sum = 0;
        for (let k = 0; k < FULL; k += 1) sum += query[k]! * vector[k]!;
        best[q]!.offer(first + i, sum);
      });
    }
    await turn();
  }
  return best.map((list) => list.sorted().rows);
}
