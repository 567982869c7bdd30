import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { lakeSlices } from "../../src/lake/lake-slices.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { retainLake } from "../../src/lake/maintain/retain-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { readSliceManifest, verifySlice } from "../../src/slice/verify-slice.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { type Difference, type DiffOptions, diffSlices } from "../../src/transfer/diff-slices.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { capture } from "../cli/capture.js";
import { batches, INFO, instant, withHash } from "../lake/items.js";
import { COMPACT, EMBEDDER, QUICK, recordId, videos, write } from "./support.js";

let dir: string;
let lake: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-revisions-"));
  lake = join(dir, "lake");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function all(before: string, after: string, options?: DiffOptions): Promise<Difference[]> {
  const found: Difference[] = [];
  for await (const batch of diffSlices(before, after, options)) found.push(...batch);
  return found;
}

describe("revisions", () => {
  it("supersede what they revise, whatever the order of installs, and re-installs of it", {
    tags: "slow",
  }, async () => {
    const [old] = await write(join(dir, "old"), videos(0, 10, 3));
    const manifest = await readSliceManifest(old!);
    const revise = async (out: string, of: typeof manifest, items: ReturnType<typeof videos>) =>
      writeSlices(batches(items), { out: join(dir, out), info: INFO, revises: [of] });
    const [second] = await revise("second", manifest, videos(0, 8, 3, 1));
    expect(second!.manifest.mirrorlake).toMatchObject({
      revision: 2,
      supersedes: [manifest.mirrorlake.root],
    });
    const [third] = await revise("third", second!.manifest, videos(1, 8, 3, 2));
    expect(third!.manifest.mirrorlake.revision).toBe(3);
    expect(third!.manifest.mirrorlake.supersedes).toHaveLength(2);
    await verifySlice(third!.dir);
    const hashes = new Set<string>();
    for (const order of [
      [old!, second!.dir, third!.dir],
      [third!.dir, old!, second!.dir],
      [second!.dir, third!.dir, old!],
    ]) {
      await rm(lake, { recursive: true, force: true });
      for (const slice of order) await installSlices([slice], { lake, ...QUICK });
      hashes.add(await corpusHash(lake));
      const open = await Lake.open(lake, { embedder: EMBEDDER });
      expect(open.corpus.recordCount).toBe(7);
      await open.close();
      expect(await readdir(join(lake, "slices"))).toEqual([third!.root]);
    }
    expect(hashes.size).toBe(1);
  });

  it("supersede what a lake cut from a slice in compacting and by retention", { tags: "slow" }, async () => {
    const [old] = await write(join(dir, "old"), [...videos(0, 6, 3), ...videos(6, 10, 20)]);
    const revises = [await readSliceManifest(old!)];
    const items = [...videos(1, 4, 3, 1), ...videos(8, 10, 20)];
    const [newer] = await writeSlices(batches(items), { out: join(dir, "newer"), info: INFO, revises });
    const install = (slice: string, into: string) => installSlices([slice], { lake: into, ...QUICK });
    const remove = (from: string) =>
      removeRecords([{ kind: "record", id: recordId(2) }], { lake: from, reason: "test" });
    const plain = join(dir, "plain");
    await install(newer!.dir, plain);
    await remove(plain);
    const expected = await corpusHash(plain);

    await install(old!, lake);
    await remove(lake);
    await compactLake({ lake, ...COMPACT });
    await retainLake({ lake, olderThan: "5d", ...COMPACT });
    const [cut] = await lakeSlices(lake);
    const published = { root: revises[0]!.mirrorlake.root, byAge: true };
    expect(cut!.mirrorlake).toMatchObject({ revision: 3, cutFrom: published });
    const kept = join(dir, "cut");
    await cp(join(lake, "slices", cut!.mirrorlake.root), kept, { recursive: true });
    expect((await install(newer!.dir, lake)).slices).toMatchObject([{ state: "installed" }]);
    expect(await corpusHash(lake)).toBe(expected);
    expect(await readdir(join(lake, "slices"))).toEqual([newer!.root]);
    // What another lake cut comes too late, too.
    expect((await install(kept, lake)).slices).toMatchObject([{ state: "superseded" }]);
    expect(await corpusHash(lake)).toBe(expected);
    // A lake cuts the revision, and the next one takes the place of that.
    await compactLake({ lake, ...COMPACT });
    expect((await lakeSlices(lake))[0]!.mirrorlake.cutFrom).toEqual({ root: newer!.root, byAge: false });
    expect(await install(newer!.dir, lake)).toMatchObject({ change: "none" });
    const next = await writeSlices(batches(videos(3, 4, 3, 2)), {
      out: join(dir, "next"),
      info: INFO,
      revises: [newer!.manifest],
    });
    await install(next[0]!.dir, lake);
    expect(await readdir(join(lake, "slices"))).toEqual([next[0]!.root]);
  });

  it("are not written where they would be the same, and must hold something", async () => {
    const [old] = await write(join(dir, "old"), videos(0, 4, 3));
    const manifest = await readSliceManifest(old!);
    const options = { out: join(dir, "new"), info: INFO, revises: [manifest] };
    expect(await writeSlices(batches(videos(0, 4, 3)), options)).toEqual([]);
    await expect(writeSlices(batches([]), options)).rejects.toMatchObject({ code: "revision_empty" });
  });
});

describe("editions of one capture time in two slices", () => {
  it("are conflicts, unless one is a revision of the other", { tags: "slow" }, async () => {
    const install = (slices: readonly string[], rebuild = false) =>
      installSlices(slices, { lake, rebuild, ...QUICK });
    const first = await write(join(dir, "first"), videos(0, 20, 3));
    expect((await install(first)).conflicts).toBeUndefined();
    // What is the same says nothing else, and a later capture is no conflict.
    const same = await write(join(dir, "same"), videos(0, 2, 3));
    const later = await write(join(dir, "later"), videos(2, 4, 4, 1));
    expect((await install([...same, ...later])).conflicts).toBeUndefined();
    const other = await write(join(dir, "other"), videos(4, 6, 3, 1));
    const added = await install(other);
    expect(added).toMatchObject({ change: "added", conflicts: { records: 2, raw: 2 } });
    expect(await install(other)).toMatchObject({ change: "none" });
    // What is captured before what the lake shows is hidden, whatever it says.
    const hidden = await write(join(dir, "hidden"), videos(2, 4, 3, 2));
    expect((await install(hidden)).conflicts).toBeUndefined();
    expect(await install([], true)).toMatchObject({ conflicts: { records: 2, raw: 2 } });
    const revises = [await readSliceManifest(other[0]!)];
    const [second] = await writeSlices(batches(videos(4, 6, 5, 1)), {
      out: join(dir, "new"),
      info: INFO,
      revises,
    });
    expect((await install([second!.dir])).conflicts).toBeUndefined();
  });
});

describe("diffSlices", () => {
  it("tells added, removed and changed items, and the fields that changed", async () => {
    await write(join(dir, "a"), videos(0, 5, 3));
    await write(join(dir, "b"), [...videos(1, 5, 3), ...videos(5, 6, 4), ...videos(2, 3, 4, 7)]);
    const found = await all(join(dir, "a"), join(dir, "b"));
    const of = (change: string) => found.filter((d) => d.change === change).map(({ key }) => key);
    expect(of("removed")).toContain(recordId(0));
    expect(of("removed")).toHaveLength(5);
    expect(of("added")).toContain(recordId(5));
    expect(of("added")).toHaveLength(5);
    const changed = found.find(({ key }) => key === recordId(2))!;
    expect(changed.change).toBe("changed");
    expect(changed.fields!.map(({ path }) => path)).toEqual(["prov.hash", "prov.ts", "text"]);
    expect(changed.fields!.at(-1)).toEqual({
      path: "text",
      before: "video 2 giraffe2 edition 0",
      after: "video 2 giraffe2 edition 7",
    });
    const raw = found.find(
      ({ key, kind }) => kind === "raw" && key.includes("/video/") && key.endsWith("2"),
    )!;
    expect(raw.fields!.map(({ path }) => path)).toContain("data.text");
    expect(await all(join(dir, "a"), join(dir, "a"))).toEqual([]);

    const ignoring = (...ignore: string[]) => all(join(dir, "a"), join(dir, "b"), { ignore });
    const without = await ignoring("prov");
    expect(without).toHaveLength(found.length);
    const left = without.find(({ key }) => key === recordId(2))!;
    expect(left.fields!.map(({ path }) => path)).toEqual(["text"]);
    const records = (await ignoring("prov", "text")).filter(({ kind }) => kind === "record");
    expect(records.map(({ key, change }) => [key, change])).toEqual([
      [recordId(0), "removed"],
      [recordId(5), "added"],
    ]);
    await expect(ignoring("prov", "metrics.vews")).rejects.toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining(
        'ignore[1] is "metrics.vews", it must be a field of records or raw items',
      ),
    });
    const { out } = await capture([
      "diff",
      join(dir, "a"),
      join(dir, "b"),
      "--ignore",
      "prov,text",
      "--summary",
    ]);
    expect(out).toContain("records: 1 added, 1 removed, 0 changed\n");
  });

  it("ignores a field whose object one side lacks", async () => {
    const made = (metrics?: { readonly views?: number; readonly likes?: number }) =>
      batches([
        {
          kind: "record",
          record: withHash(
            { id: recordId(0), src: "social", platform: "short-video", lang: "en", text: "a video", metrics },
            instant(3),
          ),
        },
      ]);
    const sides = { none: undefined, views: { views: 7 }, both: { views: 7, likes: 2 } };
    for (const [name, metrics] of Object.entries(sides))
      await writeSlices(made(metrics), { out: join(dir, name), info: INFO });
    const changed = async (after: string, ...ignore: string[]) =>
      (await all(join(dir, "none"), join(dir, after), { ignore })).flatMap(({ fields = [] }) =>
        fields.map(({ path }) => path),
      );
    expect(await changed("views", "prov")).toEqual(["metrics"]);
    expect(await changed("views", "prov", "metrics.views")).toEqual([]);
    expect(await changed("both", "prov", "metrics.views")).toEqual(["metrics.likes"]);
    expect(await changed("both", "prov", "metrics")).toEqual([]);
  });

  it("compares a lake as it answers: without what was removed", { tags: "slow" }, async () => {
    await write(join(dir, "a"), videos(0, 5, 3));
    await installSlices([join(dir, "a")], { lake, ...QUICK });
    expect(await all(join(dir, "a"), lake)).toEqual([]);
    await removeRecords([{ kind: "record", id: recordId(1) }], { lake, reason: "test" });
    const gone = await all(join(dir, "a"), lake);
    expect(gone.map(({ change }) => change)).toEqual(Array(5).fill("removed"));
    expect(await all(lake, lake)).toEqual([]);
  });
});

describe("retainLake", () => {
  it("drops older slices and revises those that hold newer items too; a dry run does not", {
    tags: "slow",
  }, async () => {
    await installSlices(await write(join(dir, "a"), videos(0, 6, 3)), { lake, ...QUICK }); // May
    await installSlices(await write(join(dir, "b"), [...videos(6, 9, 35), ...videos(9, 12, 45)]), {
      lake,
      ...QUICK,
    }); // June
    const options = { lake, olderThan: "5d", ...COMPACT };
    const dry = await retainLake({ ...options, dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, cutoff: new Date(Date.parse(instant(40))).toISOString() });
    expect(dry.dropped).toHaveLength(1);
    expect(dry.revised).toHaveLength(1);
    const hash = await corpusHash(lake);
    expect(dry.corpus).toBe(hash);
    await expect(retainLake({ ...options, dryRun: true, asOf: Date.UTC(2030, 0, 1) })).rejects.toMatchObject({
      code: "retention_empties",
    });
    const report = await retainLake(options);
    expect(report.dropped).toEqual(dry.dropped);
    expect(report.corpus).not.toBe(hash);
    const open = await Lake.open(lake, { embedder: EMBEDDER });
    expect(open.corpus.recordCount).toBe(3);
    expect(await open.corpus.recordRow(recordId(9))).toBeDefined();
    await open.close();
    expect(await readdir(join(lake, "slices"))).toHaveLength(1);
    expect(await retainLake(options)).toMatchObject({ dropped: [], revised: [] });
    await expect(retainLake({ ...options, asOf: Date.UTC(2030, 0, 1) })).rejects.toMatchObject({
      code: "retention_empties",
    });
    await expect(retainLake({ ...options, olderThan: "soon" })).rejects.toMatchObject({
      code: "invalid_age",
    });
  });

  it("measures age from the newest capture of raw items too, as in a lake without records", {
    tags: "slow",
  }, async () => {
    const raw = [...videos(0, 2, 3), ...videos(2, 4, 20)].filter(({ kind }) => kind === "raw");
    await installSlices(await write(join(dir, "a"), raw), { lake, ...QUICK });
    const report = await retainLake({ lake, olderThan: "5d", ...COMPACT });
    expect(report.cutoff).toBe(new Date(Date.parse(instant(15))).toISOString());
    expect(report.revised).toHaveLength(1);
    expect((await lakeSlices(lake))[0]!.mirrorlake.counts.raw).toBe(raw.length / 2);
  });

  it("is no ban: a slice that is installed again is whole again, and a removal stays one", {
    tags: "slow",
  }, async () => {
    const slices = await write(join(dir, "a"), [...videos(0, 4, 3), ...videos(4, 8, 20)]);
    await installSlices(slices, { lake, ...QUICK });
    await removeRecords([{ kind: "record", id: recordId(1) }], { lake, reason: "test" });
    const before = await corpusHash(lake);
    const first = await retainLake({ lake, olderThan: "5d", ...COMPACT });
    const cut = join(lake, "slices", first.revised[0]!.to!);
    expect(await corpusHash(lake)).not.toBe(before);
    // What was cut is installed as it is; the slice itself brings the older items back.
    expect(await installSlices([cut], { lake, ...QUICK })).toMatchObject({ change: "none" });
    expect((await installSlices([cut, ...slices], { lake, ...QUICK })).change).toBe("none");
    const report = await installSlices(slices, { lake, ...QUICK });
    expect(report).toMatchObject({ change: "built", slices: [{ state: "installed" }] });
    expect(await corpusHash(lake)).toBe(before);
    expect(await readdir(join(lake, "slices"))).toEqual([report.slices[0]!.root]);
  });

  it("takes nothing from a lake that holds the whole slice: what another lake cut by age is left out there", {
    tags: "slow",
  }, async () => {
    const slices = await write(join(dir, "a"), [...videos(0, 4, 3), ...videos(4, 6, 8), ...videos(6, 8, 20)]);
    const whole = (await readSliceManifest(slices[0]!)).mirrorlake.root;
    const other = join(dir, "other");
    for (const each of [lake, other]) await installSlices(slices, { lake: each, ...QUICK });
    const before = await corpusHash(lake);
    const cutOther = async (olderThan: string, name: string) => {
      await retainLake({ lake: other, olderThan, ...COMPACT });
      const [cut] = await lakeSlices(other);
      await cp(join(other, "slices", cut!.mirrorlake.root), join(dir, name), { recursive: true });
      return join(dir, name);
    };
    const first = await cutOther("14d", "first");
    const second = await cutOther("5d", "second");
    for (const cut of [first, second])
      expect(await installSlices([cut], { lake, ...QUICK })).toMatchObject({
        change: "none",
        slices: [{ state: "superseded" }],
      });
    expect((await pullSlices(second, { lake, ...COMPACT })).slices).toMatchObject([{ state: "superseded" }]);
    expect(await corpusHash(lake)).toBe(before);
    expect(await readdir(join(lake, "slices"))).toEqual([whole]);
    // So does a lake that holds an earlier cut, and what another lake removed is gone there, with what it had cut.
    await installSlices([first], { lake: join(dir, "third"), ...QUICK });
    expect(await installSlices([second], { lake: join(dir, "third"), ...QUICK })).toMatchObject({
      change: "none",
      total: { records: 4 },
    });
    await removeRecords([{ kind: "record", id: recordId(6) }], { lake: other, reason: "test" });
    await compactLake({ lake: other, ...COMPACT });
    const [removed] = await lakeSlices(other);
    const report = await installSlices([join(other, "slices", removed!.mirrorlake.root)], { lake, ...QUICK });
    expect(report).toMatchObject({ change: "built", total: { records: 1 } });
  });
});
