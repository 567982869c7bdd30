import { spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { piiReport } from "../../src/dataset/pii/report-pii.js";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { gcLake } from "../../src/lake/maintain/gc-lake.js";
import { retainLake } from "../../src/lake/maintain/retain-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { openOrCreate } from "../../src/lake/settings.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { withheldSlices } from "../../src/lake/withheld-slices.js";
import { diffSlices } from "../../src/transfer/diff-slices.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { capture } from "../cli/capture.js";
import { COMPACT, EMBEDDER, QUICK, recordId, videoId, videos, write } from "../evolution/support.js";

let all: string;
let dir: string;
let lake: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-lost-current-"));
  await installSlices(await write(join(all, "a"), videos(0, 12)), { lake: join(all, "lake"), ...QUICK });
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(all, "test-"));
  lake = join(dir, "lake");
  await cp(join(all, "lake"), lake, { recursive: true });
});

const lose = () => rm(join(lake, "CURRENT"));
const current = () => readFile(join(lake, "CURRENT"), "utf8");
const TARGETS = [{ kind: "record", id: recordId(3) }] as const;
const QUIET = { recall: false, threads: 0 } as const;

async function shows(n: number): Promise<{ record: boolean; raw: boolean }> {
  const open = await Lake.open(lake, { embedder: EMBEDDER });
  try {
    const record = await open.corpus.recordRow(recordId(n));
    const raw = await open.corpus.raw("short-video", "video", videoId(n));
    return { record: record !== undefined, raw: raw !== undefined };
  } finally {
    await open.close();
  }
}

describe("a lake that lost CURRENT", () => {
  it("removes as the whole lake does: what follows goes too, and does not come back", async () => {
    const whole = join(dir, "whole");
    await cp(lake, whole, { recursive: true });
    const clock = { now: () => Date.UTC(2026, 5, 1) };
    const expected = await removeRecords(TARGETS, { lake: whole, reason: "test", clock });
    expect(expected).toMatchObject({ hidden: { records: 1, raw: 4 } });
    await lose();
    expect(await removeRecords(TARGETS, { lake, reason: "test", clock })).toEqual(expected);
    expect(await current()).toBe("1\n");
    expect(await shows(3)).toEqual({ record: false, raw: false });
    expect((await verifyLake(lake, QUIET)).problems).toEqual([]);
  });

  it.each(["gc", "install", "compact"])(
    "hides what follows from a list without it, once restored: %s",
    async (by) => {
      await lose();
      await cp(join(lake, "generations"), join(dir, "generations"), { recursive: true });
      await rm(join(lake, "generations"), { recursive: true });
      // Without a generation nothing says what follows from it.
      expect(await removeRecords(TARGETS, { lake, reason: "test" })).toMatchObject({ added: 1, derived: 0 });
      await cp(join(dir, "generations"), join(lake, "generations"), { recursive: true });
      if (by === "gc") await gcLake({ lake });
      if (by === "install") await installSlices([join(lake, "slices")], { lake, ...QUICK });
      if (by === "compact") await compactLake({ lake, ...COMPACT });
      expect(await shows(3)).toEqual({ record: false, raw: false });
      expect(await shows(4)).toEqual({ record: true, raw: true });
    },
  );

  it("is not called empty, or sound, by what only reads", async () => {
    await removeRecords([{ kind: "record", id: recordId(5) }], { lake, reason: "test" });
    await lose();
    const lost = { code: "lake_current_missing", remedy: `mirrorlake gc --lake ${lake}` };
    const report = await verifyLake(lake, QUIET);
    expect(report).toMatchObject({ ok: false, problems: [lost] });
    await expect(Lake.open(lake)).rejects.toMatchObject(lost);
    await expect(corpusHash(lake)).rejects.toMatchObject(lost);
    await expect(withheldSlices(lake)).rejects.toMatchObject(lost);
    await expect(piiReport([lake])).rejects.toMatchObject(lost);
    await expect(publishSlices([lake], { out: join(dir, "out") })).rejects.toMatchObject(lost);
    await expect(diffSlices(lake, lake).next()).rejects.toMatchObject(lost);
    const retain = { lake, olderThan: "1d", dryRun: true };
    await expect(retainLake(retain)).rejects.toMatchObject(lost);
    expect(await readdir(lake)).not.toContain("CURRENT");
    expect((await diagnoseLake(lake)).findings).toContainEqual(expect.objectContaining(lost));
  });

  it("gets it back by a collection, which says so; a dry run writes nothing", async () => {
    await lose();
    expect(await gcLake({ lake, dryRun: true })).toMatchObject({ restored: 1, items: [] });
    expect(await readdir(lake)).not.toContain("CURRENT");
    const dry = await capture(["gc", "--dry-run", "--lake", lake]);
    expect(dry.out).toBe("CURRENT was missing: it would name generation 1 again\nNothing is unused.\n");
    const { code, out } = await capture(["gc", "--lake", lake]);
    expect([code, out]).toEqual([
      0,
      "CURRENT was missing: it names generation 1 again\nNothing is unused.\n",
    ]);
    expect((await gcLake({ lake })).restored).toBeUndefined();
    expect((await verifyLake(lake, QUIET)).ok).toBe(true);
  });

  it("keeps its slices when no generation is whole either, and a rebuild mends it", async () => {
    await lose();
    await rm(join(lake, "generations", "1", "generation.json"));
    const remedy = `mirrorlake install ${lake}/slices --lake ${lake} --rebuild`;
    const lost = { code: "lake_current_missing", remedy };
    await expect(Lake.open(lake)).rejects.toMatchObject(lost);
    const more = await write(join(dir, "b"), videos(12, 14));
    const before = await readdir(join(lake, "slices"));
    await installSlices(more, { lake, ...QUICK });
    expect(await readdir(join(lake, "slices"))).toEqual(expect.arrayContaining(before));
    expect(await shows(3)).toEqual({ record: true, raw: true });
    expect((await verifyLake(lake, QUIET)).problems).toEqual([]);
  });

  it("and its generations is not called sound", async () => {
    await lose();
    await rm(join(lake, "generations"), { recursive: true });
    const lost = { code: "generation_missing" };
    expect(await verifyLake(lake, QUIET)).toMatchObject({ ok: false, problems: [lost] });
    await expect(Lake.open(lake)).rejects.toMatchObject(lost);
  });

  it.each(["CURRENT too", "not CURRENT"])(
    "keeps its slices when other ones are installed after the generations were lost, %s",
    async (lost) => {
      await removeRecords([{ kind: "record", id: recordId(5) }], { lake, reason: "test" });
      if (lost === "CURRENT too") await lose();
      await rm(join(lake, "generations"), { recursive: true });
      const damaged = { code: lost === "CURRENT too" ? "generation_missing" : "generation_invalid" };
      await expect(compactLake({ lake, ...COMPACT })).rejects.toMatchObject(damaged);
      await expect(retainLake({ lake, olderThan: "1d" })).rejects.toMatchObject(damaged);
      const before = await readdir(join(lake, "slices"));
      const { items } = await gcLake({ lake });
      expect(items.filter(({ kind }) => kind === "slice")).toEqual([]);
      await installSlices(await write(join(dir, "b"), videos(12, 14)), { lake, ...QUICK });
      expect(await readdir(join(lake, "slices"))).toEqual(expect.arrayContaining(before));
      expect(await shows(3)).toEqual({ record: true, raw: true });
      expect(await shows(5)).toEqual({ record: false, raw: false });
      expect(await shows(13)).toEqual({ record: true, raw: true });
      expect((await verifyLake(lake, QUIET)).problems).toEqual([]);
    },
  );

  it("and its generations takes a whole copy of a slice that is damaged too", async () => {
    await rm(join(lake, "generations"), { recursive: true });
    const [root] = await readdir(join(lake, "slices"));
    const manifest = join(lake, "slices", root!, "datapackage.json");
    const bytes = await readFile(manifest);
    await rm(manifest);
    await writeFile(manifest, bytes.subarray(0, 100));
    const more = await write(join(dir, "b"), videos(12, 14));
    await expect(installSlices(more, { lake, ...QUICK })).rejects.toMatchObject({
      code: "slice_manifest_invalid",
      remedy: expect.stringContaining(`mirrorlake install <the slice from where it came> --lake ${lake}`),
    });
    const copies = join(dir, "copies");
    await cp(join(all, "lake", "slices"), copies, { recursive: true });
    const report = await installSlices([copies], { lake, ...QUICK });
    expect(report.slices.map(({ state }) => state)).toContain("repaired");
    await installSlices(more, { lake, ...QUICK });
    expect(await shows(3)).toEqual({ record: true, raw: true });
    expect((await verifyLake(lake, QUIET)).problems).toEqual([]);
  });

  it("is another thing than a lake whose first install was killed: what that placed is not kept", {
    tags: "slow",
  }, async () => {
    const fresh = join(dir, "fresh");
    const child = fileURLToPath(new URL("install-child.js", import.meta.url));
    const run = spawn(process.execPath, [child, fresh, join(all, "a")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = new Promise((resolve) => run.once("exit", resolve));
    for await (const line of createInterface({ input: run.stdout }))
      if (line.startsWith("load")) run.kill("SIGKILL");
    await exit;
    expect(await readdir(join(fresh, "slices"))).toEqual(
      expect.arrayContaining(await readdir(join(lake, "slices"))),
    );
    const empty = { code: "lake_empty", message: expect.stringContaining("did not end") };
    await expect(Lake.open(fresh)).rejects.toMatchObject(empty);
    expect((await diagnoseLake(fresh)).findings).toContainEqual(expect.objectContaining(empty));
    await expect(installSlices([join(dir, "absent")], { lake: fresh, ...QUICK })).rejects.toThrow();
    const { generation } = await installSlices(await write(join(dir, "b"), videos(12, 14)), {
      lake: fresh,
      ...QUICK,
    });
    expect(await verifyLake(fresh, QUIET)).toMatchObject({ ok: true, generation, records: 2 });
    expect(await readdir(join(fresh, "slices"))).toEqual(await readdir(join(dir, "b")));
    await rm(join(fresh, "CURRENT"));
    await rm(join(fresh, "generations"), { recursive: true });
    await installSlices([join(all, "a")], { lake: fresh, ...QUICK });
    expect(await verifyLake(fresh, QUIET)).toMatchObject({ ok: true, records: 14 });
  });

  it("is another thing than a lake into which nothing was installed", async () => {
    const fresh = join(dir, "fresh");
    await openOrCreate(fresh);
    await expect(Lake.open(fresh)).rejects.toMatchObject({ code: "lake_empty" });
    expect(await verifyLake(fresh, QUIET)).toMatchObject({ ok: true, generation: 0 });
  });
});
