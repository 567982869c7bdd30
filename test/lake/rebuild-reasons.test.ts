import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { InstallProgress } from "../../src/lake/install/publish-generation.js";
import { type RebuildReason, rebuildText } from "../../src/lake/install/rebuild.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO, makeAlike } from "./items.js";

let all: string;
let dir: string;
let lake: string;
let first: Awaited<ReturnType<typeof slicesOf>>;
let firstReason: RebuildReason | undefined;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-rebuild-"));
  dir = all;
  lake = join(all, "lake");
  first = await slicesOf(0, 30);
  firstReason = await reasonOf([first.out]);
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(all, "test-"));
  lake = join(dir, "lake");
  await cp(join(all, "lake"), lake, { recursive: true });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

let slices = 0;
async function slicesOf(from: number, to: number, edition = 0) {
  const out = join(dir, `slices-${slices++}`);
  const written = await writeSlices(batches(makeAlike(from, to, edition)), { out, info: INFO });
  return { out, manifest: written[0]!.manifest };
}

async function generationBytes(): Promise<number> {
  const current = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  const dir = join(lake, "generations", current);
  let bytes = 0;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}

/** Installs, and tells what was said of a rebuild before the first step of it, and in the report. */
async function install(dirs: readonly string[], options: Partial<InstallOptions> = {}) {
  const events: InstallProgress[] = [];
  const report = await installSlices(dirs, {
    lake,
    threads: 1,
    ...options,
    onProgress: (event) => events.push(event),
  });
  const at = events.findIndex(({ phase }) => phase === "rebuild");
  const load = events.findIndex(({ phase }) => phase === "load");
  const loaded = events.filter(({ phase }) => phase === "load").map(({ done, total }) => done / total);
  expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
  // Not only at its begin and its end.
  if (loaded.length > 0) expect(loaded.length).toBeGreaterThan(2);
  if (at >= 0) expect(at).toBeLessThan(load);
  expect(events.filter(({ phase }) => phase === "rebuild")).toHaveLength(at < 0 ? 0 : 1);
  expect(events[at]?.rebuild).toEqual(report.rebuild);
  return report;
}
const reasonOf = async (...args: Parameters<typeof install>): Promise<RebuildReason | undefined> =>
  (await install(...args)).rebuild?.reason;

it("a first install and one that adds a segment are no rebuilds", async () => {
  expect(firstReason).toBeUndefined();
  expect(await reasonOf([(await slicesOf(30, 33)).out])).toBeUndefined();
  expect(await reasonOf([])).toBeUndefined();
});

it("says why a lake is built again, and how much that is", async () => {
  const { rebuild } = await install([(await slicesOf(30, 60)).out]);
  expect(rebuild).toMatchObject({
    kind: "rebuild",
    reason: "growth",
    records: 60,
    raw: expect.any(Number),
  });
  expect(rebuild!.ms).toBeGreaterThan(500);
  const built = await generationBytes();
  expect(rebuild!.bytes).toBeGreaterThan(built / 3);
  expect(rebuild!.bytes).toBeLessThan(built * 3);
  expect(await reasonOf([], { rebuild: true })).toBe("asked");
  expect(await reasonOf([], { index: "scan" })).toBe("index");
  await install([(await slicesOf(0, 15, 1)).out]);
  expect(await reasonOf([(await slicesOf(0, 15, 2)).out])).toBe("fit");
});

it("says what a new fit of the embedder takes, which shares what stays", async () => {
  lake = join(dir, "larger");
  await install([(await slicesOf(0, 60)).out]);
  const shared = await generationBytes();
  const { rebuild } = await install([(await slicesOf(60, 90)).out]);
  expect(rebuild).toMatchObject({ kind: "refit", reason: "growth", records: 90, raw: 30 });
  expect(rebuild!.bytes).toBeGreaterThan(shared / 3);
  expect(rebuild!.bytes).toBeLessThan(shared * 1.5);
  expect(rebuildText(rebuild!)).toMatch(
    /^The embedder is refitted, since more than a third .* at once: 90 records to embed, some 1 s, and \S+ [kM]B of disk$/,
  );
});

it("says that the present generation is damaged", async () => {
  const [more, last] = [await slicesOf(30, 33), await slicesOf(33, 36)];
  const current = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  const changes = join(lake, "generations", current, "corpus.duckdb");
  const bytes = await readFile(changes);
  bytes[bytes.length - 1]! ^= 1;
  await writeFile(changes, bytes);
  expect(await reasonOf([more.out])).toBe("damaged");
  const next = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  await writeFile(join(lake, "generations", next, "generation.json"), "{}");
  expect(await reasonOf([last.out])).toBe("damaged");
});

it("says that slices are superseded with most of the lake, and else nothing", async () => {
  const revise = async (of: typeof first, from: number, to: number) => {
    const out = join(dir, `revision-${slices++}`);
    const written = await writeSlices(batches(makeAlike(from, to, 1)), {
      out,
      info: INFO,
      revises: [of.manifest],
    });
    return { out, manifest: written[0]!.manifest };
  };
  const few = await slicesOf(30, 33);
  await install([few.out]);
  expect(await reasonOf([(await revise(few, 30, 32)).out])).toBeUndefined();
  expect(await install([(await revise(first, 0, 5)).out])).toMatchObject({
    change: "built",
    rebuild: { kind: "rebuild", reason: "superseded", records: 7 },
  });
});

it("tells it of a compaction too", async () => {
  await install([(await slicesOf(30, 33)).out]);
  const events: InstallProgress[] = [];
  await compactLake({ lake, threads: 1, onProgress: (event) => events.push(event) });
  expect(events.flatMap(({ rebuild }) => rebuild?.reason ?? [])).toEqual(["asked"]);
  // What takes long says so before it begins: the hash of what is shown, then the slices.
  const phases = events
    .slice(
      0,
      events.findIndex(({ phase }) => phase === "load"),
    )
    .map(({ phase, unit }) => `${phase} ${unit}`);
  const changes = phases.filter((phase, i) => phase !== phases[i - 1]);
  expect(changes).toEqual(["verify items", "rebuild items", "verify bytes"]);
  const verified = events.filter(({ phase, unit }) => phase === "verify" && unit === "bytes");
  expect(verified[0]!.done).toBe(0);
  expect(verified.at(-1)!.done).toBe(verified[0]!.total);
  // The last is the hash again, at the end.
  const hashed = events.filter(({ phase, unit }) => phase === "verify" && unit === "items");
  expect(hashed.filter(({ done }) => done === 0).length).toBe(2);
  const items = hashed[0]!.total;
  expect(items).toBeGreaterThan(0);
  expect(events.at(-1)).toMatchObject({ phase: "verify", done: items, total: items, unit: "items" });
});
