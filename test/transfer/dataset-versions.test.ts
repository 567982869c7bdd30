import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openLake } from "../../src/client/open-lake.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { lakeSlices } from "../../src/lake/lake-slices.js";
import { pullDataset } from "../../src/transfer/pull/pull-dataset.js";
import { capture } from "../cli/capture.js";
import { LAMPS, lamps, VersionedHub } from "./versioned-hub.js";

let dir: string;
let hub: VersionedHub;
let lake: string;
let made = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-versions-"));
  hub = await VersionedHub.start();
});
afterAll(async () => {
  await hub.stop();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  lake = join(dir, `lake-${made++}`);
});

async function titles(): Promise<string[]> {
  const client = await openLake(lake, { account: "memory" });
  const found = await client.sql("SELECT title FROM records ORDER BY id, title");
  await client.close();
  return found.map(({ title }) => String(title));
}
const roots = async () => (await lakeSlices(lake)).map(({ mirrorlake }) => mirrorlake.root).sort();
const pull = (options: object = {}, revision?: string) =>
  pullDataset(hub.address(revision), { lake, authorSalt: "salt of the tests", ...options });

describe("another version of a dataset", () => {
  it("takes the place of the one that was pulled last, whichever hash is greater", {
    tags: "slow",
  }, async () => {
    const first = hub.commit({ "a.csv": lamps([1, "Lamp old"], [2, "Withdrawn thing"]) });
    expect((await pull()).replaced).toBeUndefined();
    let before = first;
    for (const title of ["Lamp new3", "Lamp new4", "Lamp new5"]) {
      const commit = hub.commit({ "a.csv": lamps([1, title]) });
      const { replaced } = await pull();
      expect(replaced).toMatchObject({ revision: before, slices: [{}] });
      expect(await titles()).toEqual([title]);
      before = commit;
    }
    // An older one is a version as any other: what was pulled last stands.
    const back = await pull({}, first);
    expect(back).toMatchObject({ revision: first, replaced: { revision: before, records: 1 } });
    expect(await titles()).toEqual(["Lamp old", "Withdrawn thing"]);
    expect(await readdir(join(lake, "slices"))).toEqual(await roots());
  });

  it("changes nothing where its rows are the same, at the same commit or another", async () => {
    hub.commit({ "a.csv": lamps([1, "May"], [2, "June", "06"]) });
    await pull();
    hub.commit({ "a.csv": lamps([1, "May"], [2, "June again", "06"]) });
    const changed = await pull();
    // The slice of May is as it was.
    expect(changed.replaced?.slices).toHaveLength(1);
    expect(changed.ingest.slices.map(({ manifest }) => manifest.mirrorlake.revision).sort()).toEqual([1, 2]);
    const there = await roots();
    hub.commit({ "a.csv": lamps([1, "May"], [2, "June again", "06"]), "README.md": "# Lamps" });
    for (let i = 0; i < 2; i++) {
      const { install, replaced } = await pull();
      expect(install).toMatchObject({ change: "none", generation: 2 });
      expect(replaced).toBeUndefined();
      expect(await roots()).toEqual(there);
    }
  });

  it("gives the same slices in another lake with the same history, and brings back one that was lost", {
    tags: "slow",
  }, async () => {
    const history: string[][] = [];
    for (let i = 0; i < 2; i++) {
      lake = join(dir, `same-${i}`);
      for (const rows of [lamps([1, "Old"]), lamps([1, "New"])]) {
        hub.commit({ "a.csv": rows });
        await pull();
      }
      history.push(await roots());
    }
    expect(history[0]).toEqual(history[1]);
    await rm(join(lake, "slices", history[0]![0]!, "records.parquet"));
    expect((await pull()).install?.slices).toMatchObject([{ state: "repaired" }]);
    expect(await roots()).toEqual(history[0]);
  });

  it("lets months go that it has no more, and a slice be another where the licence alone is", {
    tags: "slow",
  }, async () => {
    hub.commit({ "a.csv": lamps([1, "May"], [2, "June", "06"]) });
    await pull();
    hub.commit({ "a.csv": lamps([2, "June", "06"]) });
    await pull();
    expect(await titles()).toEqual(["June"]);
    const adapter = compileMapping({ ...LAMPS, info: { title: "Lamps", licence: "MIT" } });
    expect((await pull({ adapter })).replaced?.slices).toHaveLength(1);
    expect((await lakeSlices(lake)).map(({ licenses }) => licenses[0]?.name)).toEqual(["MIT"]);
  });

  it("takes the place of nothing where it has no rows, or another adapter reads it, or the older one is to stay", {
    tags: "slow",
  }, async () => {
    hub.commit({ "a.csv": lamps([1, "Lamp"]) });
    await pull();
    hub.commit({ "a.csv": lamps() });
    expect((await pull()).install).toBeUndefined();
    expect(await titles()).toEqual(["Lamp"]);
    hub.commit({ "a.csv": lamps([2, "Torch"]) });
    const adapter = compileMapping({ ...LAMPS, name: "torches" });
    expect((await pull({ adapter })).replaced).toBeUndefined();
    hub.commit({ "a.csv": lamps([3, "Candle"]) });
    expect((await pull({ keepOlder: true })).replaced).toBeUndefined();
    expect(await titles()).toEqual(["Lamp", "Torch", "Candle"]);
    hub.commit({ "a.csv": lamps([3, "Lantern"]) });
    await pull();
    expect(await titles()).toEqual(["Lamp", "Torch", "Lantern"]);
  });

  it("is not pulled where what was pulled before cannot be read", async () => {
    hub.commit({ "a.csv": lamps([1, "Lamp"]) });
    await pull();
    await writeFile(join(lake, "datasets.json"), "{");
    await expect(pull()).rejects.toMatchObject({ code: "datasets_invalid" });
    await writeFile(join(lake, "datasets.json"), '{"formatVersion":2}');
    await expect(pull()).rejects.toMatchObject({ code: "lake_newer_format" });
  });
});

describe("the folder that gets the slices", () => {
  it("is looked at before anything is fetched, and may hold what the same pull put there", async () => {
    const out = join(dir, "out");
    hub.commit({ "a.csv": lamps([1, "Lamp"]) });
    const first = await pull({ out });
    const slice = first.ingest.slices[0]!;
    expect(slice.dir).toBe(join(out, slice.root));
    expect((await readdir(out)).sort()).toEqual([slice.root, "rejects.jsonl"].sort());
    const inode = async (of: string) => (await stat(join(of, slice.root, "records.parquet"))).ino;
    expect(await inode(out)).not.toBe(await inode(join(lake, "slices")));
    expect((await pull({ out })).install).toMatchObject({ change: "none" });

    hub.commit({ "a.csv": lamps([1, "Lamp again"]) });
    const fetched = hub.fetched;
    await expect(pull({ out })).rejects.toMatchObject({ code: "out_not_empty" });
    expect(hub.fetched).toBe(fetched);
    expect(await readdir(lake)).not.toContain("incoming");
    const { ingest } = await pull({ out, replace: true });
    expect((await readdir(out)).sort()).toEqual([ingest.slices[0]!.root, "rejects.jsonl"].sort());

    // What no pull wrote stays, whatever is asked for.
    await writeFile(join(out, "notes.txt"), "mine");
    await expect(pull({ out, replace: true })).rejects.toMatchObject({ code: "out_not_empty" });
  });

  it("does not stop a pull that was stopped from being run again", async () => {
    const out = join(dir, "stopped");
    hub.commit({ "a.csv": lamps([1, "Lamp"]) });
    const stop = new AbortController();
    const onProgress = ({ phase }: { phase: string }) => {
      if (phase === "install") stop.abort(new Error("stopped"));
    };
    await expect(pull({ out, onProgress, signal: stop.signal })).rejects.toThrow("stopped");
    const { install } = await pull({ out });
    expect(install).toMatchObject({ change: "built" });
    expect(await readdir(out)).toHaveLength(2);
  });

  it("refuses other slices than those that are there, and installs none of them", async () => {
    const out = join(dir, "others");
    hub.commit({ "a.csv": lamps([1, "Lamp"]) });
    await pull({ out });
    const there = await roots();
    const adapter = compileMapping({ ...LAMPS, info: { title: "Lamps", licence: "MIT" } });
    await expect(pull({ out, adapter })).rejects.toMatchObject({ code: "out_not_empty" });
    expect(await roots()).toEqual(there);
  });
});

it("says on the command line what it replaced, and where the slices are", { tags: "slow" }, async () => {
  const run = (...flags: string[]) =>
    capture(["pull", hub.address(), "--lake", lake, "--no-lock", ...flags], { cwd: dir });
  const first = hub.commit({ "a.csv": lamps([1, "Lamp old"], [2, "Withdrawn thing"]) });
  const done = await run();
  const [, place = ""] = /1 slice in ([^,]*), .*\/s\n/.exec(done.out) ?? [];
  expect(place).toBe(join(lake, "slices"));
  expect(await readFile(join(place, (await roots())[0]!, "datapackage.json"), "utf8")).toContain("Lamps");
  hub.commit({ "a.csv": lamps([1, "Lamp new3"]) });
  expect((await run()).out).toContain(
    `in the place of 1 slice of the last pull of commit ${first.slice(0, 12)}, with 2 records and 0 raw items`,
  );
  expect((await run()).out).toContain("nothing new: the lake has all of it");
  hub.commit({ "a.csv": lamps([1, "Lamp new4"]) });
  const kept = JSON.parse((await run("--keep-older", "--json", "--out", join(dir, "kept"))).out);
  expect(kept.replaced).toBeUndefined();
  expect(kept.ingest.rejectsFile).toBe(join(dir, "kept", "rejects.jsonl"));
  const again = await run("--out", join(dir, "kept"));
  expect(again.err + again.out).not.toContain("out_not_empty");
});
