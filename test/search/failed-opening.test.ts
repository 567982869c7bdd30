import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { forEachFeature } from "../../src/search/fit/occurrences.js";
import { shrinkRows } from "../../src/search/fit/shrink-rows.js";
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
  const none = { first: 0, documents: new Uint32Array(0), scales: new Float32Array(0), fineFrom: 1 };
  await expect(shrinkRows({ ...none, from: there, out: missing })).rejects.toMatchObject({ code: "ENOENT" });
  expect(openFiles(within(dir))).toEqual([]);
  const occurrences = { documents: there, weights: missing, starts: new Uint32Array(1) };
  expect(() => forEachFeature(occurrences, 1, () => {})).toThrow("ENOENT");
  expect(openFiles(within(dir))).toEqual([]);
});
