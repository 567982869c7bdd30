import { describe, expect, it } from "vitest";
import { rowsToKeep } from "../../src/search/vector/rows-to-keep.js";

/** Bytes of a vector in memory with its number, and of the codes and the place of any row. */
const KEPT = 1545;
const CODES = 772;
const MIB = 1024 * 1024;

describe("vectors that an open index keeps in memory", () => {
  it("are all of a small set, and of several", () => {
    expect(rowsToKeep([54_000])).toEqual([54_000]);
    expect(rowsToKeep([54_000, 0, 1_000])).toEqual([54_000, 0, 1_000]);
    expect(rowsToKeep([])).toEqual([]);
  });

  it("are those that have room, in the order of the sets", () => {
    const room = Math.floor((256 * MIB) / KEPT);
    expect(rowsToKeep([200_000])).toEqual([room]);
    expect(rowsToKeep([100_000, 100_000])).toEqual([100_000, room - 100_000]);
  });

  it("leave room for the codes of all sets", () => {
    const [kept] = rowsToKeep([250_000]);
    expect(kept! * KEPT + 250_000 * CODES).toBeLessThanOrEqual(416 * MIB);
    expect(kept! * KEPT + 250_000 * CODES).toBeGreaterThan(415 * MIB);
  });

  it("are a share of each set of a large index", () => {
    expect(rowsToKeep([524_288, 475_712])).toEqual([157_286, 142_713]);
    expect(rowsToKeep([400_000])).toEqual([120_000]);
  });
});
