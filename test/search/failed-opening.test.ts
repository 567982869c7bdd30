import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { combineSlabs } from "../../src/search/fit/combine-slabs.js";
import { forEachFeature } from "../../src/search/fit/occurrences.js";
import { openFiles, within } from "../support/open-files.js";

let dir: string;
let there: string;
let missing: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-opening-"));
  there = join(dir, "there");
  missing = join(dir, "no folder", "missing");
  await writeFile(there, "");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it("what opens two files closes the first where the second cannot be opened", async () => {
  const slabs = [there, missing].map((path, i) => ({ first: i * 64, dims: 64, path }));
  const target = { documents: new Uint32Array(0), fineFrom: 1, path: there };
  await expect(combineSlabs({ slabs, first: 0, target })).rejects.toMatchObject({ code: "ENOENT" });
  expect(openFiles(within(dir))).toEqual([]);
  const occurrences = { documents: there, weights: missing, starts: new Uint32Array(1) };
  expect(() => forEachFeature(occurrences, 1, () => {})).toThrow("ENOENT");
  expect(openFiles(within(dir))).toEqual([]);
});
