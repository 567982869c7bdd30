import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { openOrCreate } from "../../src/lake/settings.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { CAMPAIGN } from "../support/campaign.js";
import { batches, INFO, makeItems, makeRecord } from "./items.js";
import { overwrite, reseal } from "./reseal.js";
import { answersOf } from "./same-answers.js";

let dir: string;
let pristine: string;
let answers: string;
let lake: string;
let copies = 0;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-state-"));
  pristine = join(dir, "pristine");
  await writeSlices(batches(makeItems(0, 60)), { out: join(dir, "slices"), info: INFO });
  await installSlices([join(dir, "slices")], { lake: pristine });
  answers = await answersAt(pristine);
});
afterAll(() => rm(dir, { recursive: true, force: true }));
beforeEach(async () => {
  lake = join(dir, `lake-${copies++}`);
  await cp(pristine, lake, { recursive: true });
});

async function answersAt(path: string): Promise<string> {
  const open = await Lake.open(path);
  try {
    return await answersOf(open, ["camera"]);
  } finally {
    await open.close();
  }
}

const REPAIRED = ["CURRENT that names nothing", "a database that is none"];

describe("a lake that cannot be opened", () => {
  it("says that there is none, or nothing in it", async () => {
    await expect(Lake.open(join(dir, "none"))).rejects.toMatchObject({ code: "lake_not_found" });
    await expect(Lake.open(join(lake, "mirrorlake.json"))).rejects.toMatchObject({ code: "lake_not_found" });
    const fresh = join(dir, "fresh");
    await openOrCreate(fresh);
    await expect(Lake.open(fresh)).rejects.toMatchObject({ code: "lake_empty" });
  });

  it("is refused by its settings, to readers and to installs", async () => {
    const settings = join(lake, "mirrorlake.json");
    for (const [text, code] of [
      ['{"formatVersion": 3}', "lake_newer_format"],
      ['{"formatVersion": "1"}', "lake_settings_invalid"],
      ['{"formatVersion": 1, "catalogue": 7}', "lake_settings_invalid"],
      ["{", "lake_settings_invalid"],
      ["null", "lake_settings_invalid"],
    ] as const) {
      await writeFile(settings, text);
      await expect(Lake.open(lake)).rejects.toMatchObject({ name: "LakeError", code });
      await expect(installSlices([join(dir, "slices")], { lake })).rejects.toMatchObject({ code });
    }
    await writeFile(settings, '{"formatVersion": 1, "note": "kept"}');
    const open = await Lake.open(lake);
    expect(open.settings).toEqual({ formatVersion: 1, note: "kept" });
    await open.close();
  });

  it.each([
    [
      "CURRENT that names nothing",
      (path: string) => writeFile(join(path, "CURRENT"), "soon"),
      "lake_current_invalid",
    ],
    [
      "a manifest of another version",
      (path: string) => overwrite(join(path, "generations/1/generation.json"), '{"formatVersion": 1}'),
      "generation_invalid",
    ],
    [
      "a manifest cut short",
      (path: string) => truncate(join(path, "generations/1/generation.json"), 40),
      "generation_invalid",
    ],
    [
      "a generation that is gone",
      (path: string) => rm(join(path, "generations/1"), { recursive: true }),
      "generation_missing",
    ],
    [
      "a column cut short",
      (path: string) => truncate(join(path, "generations/1/columns/lang.u16"), 10),
      "generation_invalid",
    ],
    [
      "a row store cut short",
      (path: string) => truncate(join(path, "generations/1/segments/0000/records.rows"), 100),
      "generation_invalid",
    ],
    [
      "a database that is none",
      (path: string) => overwrite(join(path, "generations/1/corpus.duckdb"), "no database"),
      "generation_corrupt",
    ],
    [
      "a row store that is gone",
      (path: string) => rm(join(path, "generations/1/segments/0000/raw.rows")),
      "generation_missing",
    ],
  ])("is refused, and repaired from its slices: %s", async (what, damage, code) => {
    await damage(lake);
    await expect(Lake.open(lake)).rejects.toMatchObject({ name: "LakeError", code });
    // Every repair rebuilds all: npm run test:all makes two of them, a campaign makes all.
    if (!CAMPAIGN && !REPAIRED.includes(what)) return;
    const report = await installSlices([], { lake, rebuild: true });
    expect(report).toMatchObject({ generation: 2, change: "built" });
    expect(await answersAt(lake)).toBe(answers);
    expect(await readdir(join(lake, "generations"))).toEqual(["2"]);
  });

  it("says of a database that is none, but has its size, that it is damaged, where a call reads it", async () => {
    const path = join(lake, "generations/1/corpus.duckdb");
    await overwrite(path, new Uint8Array((await stat(path)).size));
    const opened = await Lake.open(lake);
    try {
      const page = () =>
        opened.corpus.recordsPage({ orderBy: "captured", descending: true, limit: 1, offset: 0 });
      for (let time = 0; time < 2; time += 1)
        await expect(page()).rejects.toMatchObject({ name: "LakeError", code: "generation_invalid" });
    } finally {
      await opened.close();
    }
  });

  it("is not repaired from a slice that was damaged in the lake", async () => {
    const slices = join(lake, "slices");
    for (const root of await readdir(slices)) {
      const path = join(slices, root, "records.parquet");
      const bytes = await readFile(path).catch(() => undefined);
      if (bytes === undefined) continue;
      bytes[50]! ^= 1;
      await overwrite(path, bytes);
      break;
    }
    await expect(installSlices([], { lake, rebuild: true })).rejects.toMatchObject({
      name: "SliceError",
      code: "slice_corrupt",
    });
    expect(await answersAt(lake)).toBe(answers);
  });
});

describe("revisions", () => {
  it("replace the slices that they supersede, and stay in force", { tags: "slow" }, async () => {
    const out = join(dir, "revision");
    const [first] = await writeSlices(batches([{ kind: "record", record: makeRecord(1000) }]), {
      out,
      info: INFO,
    });
    const [second] = await writeSlices(batches([{ kind: "record", record: makeRecord(1003) }]), {
      out,
      info: INFO,
    });
    await installSlices([first!.dir], { lake });
    for (const name of await readdir(second!.dir)) await chmod(join(second!.dir, name), 0o644);
    await reseal(second!.dir, (manifest) => {
      Object.assign(manifest.mirrorlake, { revision: 2, supersedes: [first!.root] });
    });
    const report = await installSlices([second!.dir], { lake });
    expect(report).toMatchObject({ change: "added", total: { records: 61 } });
    expect((await installSlices([first!.dir], { lake })).slices[0]).toMatchObject({ state: "superseded" });
    const open = await Lake.open(lake);
    expect(await open.corpus.recordRow(makeRecord(1000).id)).toBeUndefined();
    expect(await open.corpus.recordRow(makeRecord(1003).id)).toBeDefined();
    await open.close();
    expect(await readdir(join(lake, "slices"))).not.toContain(first!.root);
  });
});

describe("segments", () => {
  it("are merged by small installs, and answers stay", { tags: "slow" }, async () => {
    for (let n = 0; n < 9; n++) {
      const out = join(dir, `step-${n}`);
      await writeSlices(batches(makeItems(60 + n, 61 + n)), { out, info: INFO });
      const { change } = await installSlices([out], { lake, threads: 1 });
      expect(change).toBe("added");
    }
    const open = await Lake.open(lake);
    expect(open.corpus.recordCount).toBe(69);
    for (let n = 0; n < 69; n++) {
      const row = await open.corpus.recordRow(makeRecord(n).id);
      expect((await open.corpus.records([row!]))[0]).toEqual(makeRecord(n));
    }
    await open.close();
  });
});
