import type { LakeClient } from "mirrorlake";
import { seeded } from "./random.js";

/** Rows that a query may answer, as the index takes them. */
export type SomeRows = Parameters<LakeClient["lake"]["index"]["rank"]>[1];

/** A seeded choice of one row in `one` of so many. The same numbers give the same rows. */
export function oneRowIn(one: number, size: number): SomeRows {
  const random = seeded(one);
  const bits = new Uint32Array(Math.ceil(size / 32));
  const chosen: number[] = [];
  for (let row = 0; row < size; row++) {
    if (random(one) !== 0) continue;
    bits[row >>> 5]! |= 1 << (row & 31);
    chosen.push(row);
  }
  return {
    size,
    count: chosen.length,
    bits,
    has: (row) => ((bits[row >>> 5]! >>> (row & 31)) & 1) === 1,
    rows: () => Uint32Array.from(chosen),
  };
}
