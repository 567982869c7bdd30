import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { VectorSet } from "../vector-set.js";

const { seed } = SEARCH_DEFAULTS.certificate;
const { dimensions } = SEARCH_DEFAULTS;

/** Queries that recall is measured with. */
export interface Sample {
  /** What they are: short pieces of the set's texts, or vectors of the set, each searched among the others. */
  readonly of: "texts" | "vectors";
  readonly queries: readonly SampleQuery[];
}

/** A query that recall is measured with. */
export interface SampleQuery {
  readonly vector: Float32Array;
  /** Of a vector of the set, its row. */
  readonly row?: number;
  /** Of a piece of text, rows with its words. */
  readonly hints?: Uint32Array;
}

/** Stands for no row among hints. */
export const NO_HINT = 0xffff_ffff;

/** Every `of`-th query of the sample, from number `part` on. */
export interface SampleShare {
  readonly part: number;
  readonly of: number;
}

/** The sample of a set: the queries that were kept with it, or some of its vectors. */
export function sampleOf(
  set: VectorSet,
  texts: { readonly vectors: Float32Array; readonly hints: Uint32Array | undefined } | undefined,
  { part, of }: SampleShare,
): Sample {
  const mine = (_: unknown, i: number) => i % of === part;
  if (texts !== undefined && texts.vectors.length > 0) {
    const { hints } = SEARCH_DEFAULTS.vector.graph;
    const all = Array.from({ length: texts.vectors.length / dimensions }, (_, i) => ({
      vector: texts.vectors.slice(i * dimensions, (i + 1) * dimensions),
      hints: texts.hints?.slice(i * hints, (i + 1) * hints).filter((row) => row !== NO_HINT),
    }));
    return { of: "texts", queries: all.filter(mine) };
  }
  const rows = [...sampledRows(set.count)].filter(mine);
  return { of: "vectors", queries: rows.map((row) => ({ row, vector: set.vector(row) })) };
}

/** How many queries a set of so many rows is measured with at most. */
export function sampleSize(count: number): number {
  const { queries, queriesOfLarge, large } = SEARCH_DEFAULTS.certificate;
  return Math.min(count, count >= large ? queriesOfLarge : queries);
}

/** Numbers of the rows that queries are made from: evenly spaced, each with a seeded offset. */
export function sampledRows(count: number): Uint32Array {
  const size = sampleSize(count);
  const step = count / size;
  return Uint32Array.from({ length: size }, (_, i) =>
    Math.floor(i * step + (hashOf(i, seed + 1) / 2 ** 32) * step),
  );
}

/** Rows that pass a seeded filter of some selectivity, ascending. Filters are nested. */
export function filteredRows(count: number, selectivity: number): Uint32Array {
  const rows: number[] = [];
  for (let row = 0; row < count; row += 1)
    if (selectivity === 1 || hashOf(row, seed) < selectivity * 2 ** 32) rows.push(row);
  return Uint32Array.from(rows);
}

/** A 32-bit hash of a number. */
export function hashOf(value: number, salt: number): number {
  let hash = Math.imul(value + 1, 0x9e37_79b1) ^ Math.imul(salt + 1, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2_ae35);
  hash = Math.imul(hash ^ (hash >>> 13), 0x27d4_eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}
