import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO, makeItems } from "./items.js";

let dir: string;
let lake: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-graphs-"));
  lake = join(dir, "lake");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

let slices = 0;
async function bring(from: number, to: number, options: Partial<InstallOptions> = {}) {
  const out = join(dir, `slices-${slices++}`);
  await writeSlices(batches(makeItems(from, to)), { out, info: INFO });
  return installSlices([out], { lake, threads: 1, ...options });
}
async function graphs() {
  const current = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  return (await readIndexManifest(join(lake, "generations", current, "search"))).graphs;
}

it("which sets get graphs stays as it was asked for, however the lake is built again", {
  tags: "slow",
}, async () => {
  const asked = { index: "hnsw", graphFrom: 5_000 };
  await bring(0, 30, { index: "hnsw", graphFrom: 5_000 });
  expect(await graphs()).toEqual(asked);
  expect((await bring(30, 90)).rebuild?.kind).toBe("rebuild");
  expect(await graphs()).toEqual(asked);
  expect((await bring(90, 130)).rebuild?.kind).toBe("refit");
  expect(await graphs()).toEqual(asked);
  await compactLake({ lake, threads: 1 });
  expect(await graphs()).toEqual(asked);
  await installSlices([], { lake, threads: 1, rebuild: true });
  expect(await graphs()).toEqual(asked);
});

it("another wish counts from a new fit or a rebuild on", async () => {
  await bring(0, 60, { index: "hnsw", graphFrom: 5_000 });
  await bring(60, 64, { index: "scan" });
  expect(await graphs()).toMatchObject({ index: "hnsw" });
  expect((await bring(64, 90, { index: "scan" })).rebuild?.kind).toBe("refit");
  expect(await graphs()).toEqual({ index: "scan" });
  await installSlices([], { lake, threads: 1, index: "auto" });
  expect(await graphs()).toMatchObject({ index: "auto" });
});
