import { nextTurn } from "../../../next-turn.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { Kernels, packPanels } from "../kernels.js";
import { TopK } from "../scores/top-k.js";
import type { VectorSet } from "../vector-set.js";
import type { Sample } from "./recall-sample.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const BLOCK = 256;
/**
 * Neighbours found in single precision and rescored exactly, for each that is wanted: more than needed, so that rounding loses
 * none.
 */
const SHORTLIST = 1.6;

interface ExactOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onAsked?: ((queries: number) => void) | undefined;
}

/**
 * By filter and query: the rows of largest exact scores among those of the filter, best first, without the query's own row. Vectors
 * in memory are scored query by query; of others a single pass over the file scores all queries.
 * @param filters ascending rows each
 * @param onAsked called with each number of queries whose neighbours are found; of a pass over the file, with as many as its share is worth
 */
export async function exactNeighbours(
  set: VectorSet,
  queries: Sample["queries"],
  filters: readonly Uint32Array[],
  limit: number,
  { signal, onAsked }: ExactOptions = {},
): Promise<Uint32Array[][]> {
  if (queries.length === 0 || !set.scoresInMemory)
    return byPass(set, queries, filters, limit, { signal, onAsked });
  const found: Uint32Array[][] = filters.map(() => []);
  for (const { vector, row } of queries) {
    for (const [f, rows] of filters.entries()) {
      const best = await set.nearest(vector, limit + 1, { exact: true, rows, signal });
      found[f]!.push(others(best.rows, row, limit));
    }
    onAsked?.(1);
    await nextTurn();
  }
  return found;
}

function others(rows: readonly number[], own: number | undefined, limit: number): Uint32Array {
  return Uint32Array.from(rows.filter((row) => row !== own).slice(0, limit));
}

async function byPass(
  set: VectorSet,
  queries: Sample["queries"],
  filters: readonly Uint32Array[],
  limit: number,
  { signal, onAsked }: ExactOptions,
): Promise<Uint32Array[][]> {
  if (queries.length === 0) return filters.map(() => []);
  const columns = Math.ceil(queries.length / 8) * 8;
  const panels = BLOCK * FULL * 4;
  const out = panels + FULL * columns * 4;
  const kernels = Kernels.create(out + BLOCK * columns * 4);
  const transposed = new Float32Array(FULL * columns);
  queries.forEach(({ vector }, column) => {
    for (let k = 0; k < FULL; k += 1) transposed[k * columns + column] = vector[k]!;
  });
  packPanels(transposed, FULL, columns, kernels.floats(panels, transposed.length));
  const shortlists = filters.map(() => queries.map(() => new TopK(Math.ceil(limit * SHORTLIST))));
  const passed = filters.map(() => 0);
  const input = kernels.floats(0, BLOCK * FULL);
  const worth = (rows: number) => Math.floor((queries.length * rows) / set.count);
  for (let first = 0; first < set.count; first += BLOCK) {
    signal?.throwIfAborted();
    const rows = Math.min(BLOCK, set.count - first);
    set.readRun(first, rows, input);
    kernels.multiply(0, Math.ceil(rows / 4) * 4, FULL, panels, columns, out);
    const scores = kernels.floats(out, rows * columns);
    filters.forEach((filter, f) => {
      for (; passed[f]! < filter.length && filter[passed[f]!]! < first + rows; passed[f]! += 1) {
        const row = filter[passed[f]!]!;
        shortlists[f]!.forEach((best, q) => {
          const score = scores[(row - first) * columns + q]!;
          if (score >= best.floor) best.offer(row, score);
        });
      }
    });
    onAsked?.(worth(first + rows) - worth(first));
    await nextTurn();
  }
  return shortlists.map((lists) =>
    lists.map((list, q) => {
      const best = new TopK(limit + 1);
      set.score(queries[q]!.vector, Uint32Array.from(list.sorted().rows), (row, score) => {
        best.offer(row, score);
      });
      return others(best.sorted().rows, queries[q]!.row, limit);
    }),
  );
}
