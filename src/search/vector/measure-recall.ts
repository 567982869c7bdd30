import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { Kernels, packPanels } from "./kernels.js";
import { suffices } from "./search-plan.js";
import type { RecallAtDepth, RecallAtSelectivity, SetRecall } from "./set-recall.js";
import { TopK } from "./top-k.js";
import type { VectorSet } from "./vector-set.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const { selectivities, seed, deepest } = SEARCH_DEFAULTS.certificate;
const BLOCK = 256;
const RECALL_AT = [10, 100] as const;
/**
 * Neighbours found in single precision and rescored in double: more than needed, so that rounding loses none.
 */
const SHORTLIST = 160;

/** Every `of`-th vector of the sample, from number `part` on. */
export interface SampleShare {
  readonly part: number;
  readonly of: number;
}

/**
 * Measures the recall of a set's approximate search against exact search, over a seeded sample of its own
 * vectors (each searched among all others), at several filter selectivities. Reads all vectors once. The sample
 * size bounds the cost: {@link SEARCH_DEFAULTS}.certificate.
 */
export async function measureRecall(
  set: VectorSet,
  { part, of }: SampleShare = { part: 0, of: 1 },
  signal?: AbortSignal,
): Promise<SetRecall> {
  const measurable = selectivities
    .map((selectivity) => ({ selectivity, rows: filteredRows(set.count, selectivity) }))
    .map((filter) => ({ ...filter, all: set.scoresAll(filter.rows.length) }));
  const approximate = measurable.filter(({ all }) => !all);
  const queries =
    approximate.length === 0 ? new Uint32Array() : sampleOf(set.count).filter((_, i) => i % of === part);
  const exact = await exactNeighbours(set, queries, approximate, signal);
  const recall: RecallAtSelectivity[] = [];
  for (const { selectivity, rows, all } of measurable) {
    const measured: RecallAtDepth[] = [];
    if (!all) {
      const truth = exact[approximate.findIndex((filter) => filter.selectivity === selectivity)]!;
      const least = SEARCH_DEFAULTS.vector.rerankDepth;
      for (let depth = least; depth <= deepest; depth *= 2) {
        const at = await recallAt(set, queries, truth, rows, depth, signal);
        measured.push(at);
        if (suffices(at) || depth >= rows.length) break;
      }
    }
    recall.push({ selectivity, rows: rows.length, measured });
  }
  return { queries: queries.length, recall };
}

async function recallAt(
  set: VectorSet,
  queries: Uint32Array,
  truth: readonly Uint32Array[],
  rows: Uint32Array,
  depth: number,
  signal: AbortSignal | undefined,
): Promise<RecallAtDepth> {
  const shares = RECALL_AT.map(() => 0);
  for (const [i, query] of queries.entries()) {
    const found = await set.nearest(set.vector(query), RECALL_AT[1] + 1, {
      depth,
      ...(rows.length === set.count ? {} : { rows }),
      signal,
    });
    const others = found.rows.filter((row) => row !== query);
    RECALL_AT.forEach((k, at) => {
      const ideal = truth[i]!.subarray(0, k);
      const foundRows = new Set(others.slice(0, k));
      shares[at]! += ideal.filter((row) => foundRows.has(row)).length / Math.max(1, ideal.length);
    });
    await turn();
  }
  const [recall10, recall100] = shares.map((sum) => Math.round((sum / queries.length) * 1e6) / 1e6);
  return { depth, recall10: recall10!, recall100: recall100! };
}

/** Rows that pass a seeded filter of some selectivity, ascending. Filters are nested. */
function filteredRows(count: number, selectivity: number): Uint32Array {
  const rows: number[] = [];
  for (let row = 0; row < count; row += 1) if (passes(row, selectivity)) rows.push(row);
  return Uint32Array.from(rows);
}

function passes(row: number, selectivity: number): boolean {
  return selectivity === 1 || hashOf(row, seed) < selectivity * 2 ** 32;
}

/** Query rows: evenly spaced, each with a seeded offset. */
function sampleOf(count: number): Uint32Array {
  const { queries, queriesOfLarge, large } = SEARCH_DEFAULTS.certificate;
  const size = Math.min(count, count >= large ? queriesOfLarge : queries);
  const step = count / size;
  return Uint32Array.from({ length: size }, (_, i) =>
    Math.floor(i * step + (hashOf(i, seed + 1) / 2 ** 32) * step),
  );
}

function hashOf(value: number, salt: number): number {
  let hash = Math.imul(value + 1, 0x9e37_79b1) ^ Math.imul(salt + 1, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2_ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4_eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** By filter and query: the rows of largest inner product, best first, without the query row itself. */
async function exactNeighbours(
  set: VectorSet,
  queries: Uint32Array,
  filters: readonly { readonly selectivity: number }[],
  signal: AbortSignal | undefined,
): Promise<Uint32Array[][]> {
  if (queries.length === 0) return [];
  const columns = Math.ceil(queries.length / 8) * 8;
  const panels = BLOCK * FULL * 4;
  const out = panels + FULL * columns * 4;
  const kernels = await Kernels.create(out + BLOCK * columns * 4);
  const vectors = Array.from(queries, (row) => set.vector(row));
  const transposed = new Float32Array(FULL * columns);
  vectors.forEach((vector, column) => {
    for (let k = 0; k < FULL; k += 1) transposed[k * columns + column] = vector[k]!;
  });
  packPanels(transposed, FULL, columns, kernels.floats(panels, transposed.length));
  const shortlists = filters.map(() => vectors.map(() => new TopK(SHORTLIST)));
  const input = kernels.floats(0, BLOCK * FULL);
  for (let first = 0; first < set.count; first += BLOCK) {
    signal?.throwIfAborted();
    const rows = Math.min(BLOCK, set.count - first);
    set.readRun(first, rows, input);
    kernels.multiply(0, Math.ceil(rows / 4) * 4, FULL, panels, columns, out);
    const scores = kernels.floats(out, rows * columns);
    filters.forEach(({ selectivity }, f) => {
      for (let i = 0; i < rows; i += 1) {
        const row = first + i;
        if (!passes(row, selectivity)) continue;
        shortlists[f]!.forEach((best, q) => {
          const score = scores[i * columns + q]!;
          if (score >= best.floor && row !== queries[q]) best.offer(row, score);
        });
      }
    });
    await turn();
  }
  return shortlists.map((lists) => lists.map((list, q) => exactOrder(set, vectors[q]!, list.sorted().rows)));
}

function exactOrder(set: VectorSet, query: Float32Array, rows: readonly number[]): Uint32Array {
  const best = new TopK(RECALL_AT[1]);
  set.score(query, Uint32Array.from(rows), (row, score) => {
    best.offer(row, score);
  });
  return Uint32Array.from(best.sorted().rows);
}
