import { describe, expect, it } from "vitest";
import { rowsToKeep } from "../../src/search/vector/rows-to-keep.js";

const STORED = 1540;
const MIB = 1024 * 1024;

describe("vectors that an open index keeps in memory", () => {
  it("are all of a small set, and of several", () => {
    expect(rowsToKeep([54_000])).toEqual([54_000]);
    expect(rowsToKeep([54_000, 0, 1_000])).toEqual([54_000, 0, 1_000]);
    expect(rowsToKeep([])).toEqual([]);
  });

  it("are those that have room, in the order of the sets", () => {
    const room = Math.floor((256 * MIB) / STORED);
    expect(rowsToKeep([200_000])).toEqual([room]);
    expect(rowsToKeep([100_000, 150_000])).toEqual([100_000, room - 100_000]);
  });

  it("leave room for the codes of all sets", () => {
    const [kept] = rowsToKeep([350_000]);
    expect(kept! * STORED + 350_000 * 768).toBeLessThanOrEqual(448 * MIB);
    expect(kept).toBeGreaterThan(0);
    expect(rowsToKeep([524_288, 475_712])).toEqual([0, 0]);
  });
});
