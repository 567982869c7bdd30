import { cp, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { readGenerationManifest } from "../../src/store/generation/generation-manifest.js";
import { countingEmbedder } from "./counting-embedder.js";
import { batches, INFO, makeItems, makeRecord } from "./items.js";
import { answersOf } from "./same-answers.js";

let all: string;
let dir: string;
let lake: string;
/** Slices of the first 60 items, a lake of them, and slices of the 30 after. */
let sixty: string;
let lakeOfSixty: string;
let thirty: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-refit-"));
  dir = all;
  [sixty, thirty] = [await slicesOf(0, 60), await slicesOf(60, 90)];
  lakeOfSixty = join(all, "lake-of-60");
  await install([sixty], { lake: lakeOfSixty });
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(all, "test-"));
  lake = join(dir, "lake");
});
const startWithSixty = () => cp(lakeOfSixty, lake, { recursive: true });

let slices = 0;
async function slicesOf(from: number, to: number, edition = 0) {
  const out = join(dir, `slices-${slices++}`);
  await writeSlices(batches(makeItems(from, to, edition)), { out, info: INFO });
  return out;
}
const install = (dirs: readonly string[], options: Partial<InstallOptions> = {}) =>
  installSlices(dirs, { lake, threads: 1, ...options });

async function generationOf(of = lake): Promise<string> {
  return join(of, "generations", (await readFile(join(of, "CURRENT"), "utf8")).trim());
}
const indexOf = async (of = lake) => readIndexManifest(join(await generationOf(of), "search"));

/** The files of the first segment that hold rows and postings, by name, each with its inode. */
async function rowsAndPostings(): Promise<Map<string, number>> {
  const generation = await generationOf();
  const folders = ["segments/0000", "search/segment-0000/keyword"];
  const inodes = new Map<string, number>();
  for (const folder of folders)
    for (const name of await readdir(join(generation, folder)))
      inodes.set(join(folder, name), (await stat(join(generation, folder, name))).ino);
  return inodes;
}

async function answers(of: string, embedder?: Embedder): Promise<string> {
  const open = await Lake.open(of, { exact: true, embedder });
  try {
    return await answersOf(open, ["camera phone", "noticias de café", "手机"]);
  } finally {
    await open.close();
  }
}

describe("an install that refits the lake's embedder", () => {
  it("keeps rows and postings, and makes the very vectors of a lake that is built at once", async () => {
    const [first, second, third] = [
      await slicesOf(0, 90),
      await slicesOf(80, 100, 1),
      await slicesOf(100, 140),
    ];
    await install([first]);
    await install([second]);
    const before = await rowsAndPostings();
    const report = await install([third]);
    expect(report).toMatchObject({
      change: "added",
      records: { added: 40, replaced: 0, outdated: 0 },
      rebuild: { kind: "refit", reason: "growth", records: 140 },
    });
    expect(await rowsAndPostings()).toEqual(before);
    expect((await readGenerationManifest(await generationOf())).grown).toBe(0);
    const once = join(dir, "once");
    await install([first, second, third], { lake: once });
    const [refitted, built] = [await indexOf(), await indexOf(once)];
    expect([refitted.segments.length, built.segments.length]).toEqual([2, 1]);
    expect(refitted.fit).toEqual(built.fit);
    expect(await answers(lake)).toBe(await answers(once));
    expect((await verifyLake(lake)).problems).toEqual([]);
  });

  it("also where all of it replaces what was there", { tags: "slow" }, async () => {
    const revised = [await slicesOf(0, 9, 1), await slicesOf(0, 9, 2), await slicesOf(5, 14, 3)];
    await startWithSixty();
    const rebuilds: unknown[] = [];
    for (const slice of revised) rebuilds.push((await install([slice])).rebuild);
    expect(rebuilds).toMatchObject([undefined, undefined, { kind: "refit", reason: "fit", records: 69 }]);
    const once = join(dir, "once");
    await install([sixty, ...revised], { lake: once });
    expect((await indexOf()).fit).toEqual((await indexOf(once)).fit);
    expect(await answers(lake)).toBe(await answers(once));
  });

  it("asks an embedder of the user's own for what comes alone", { tags: "slow" }, async () => {
    const { asked, embedder } = countingEmbedder();
    await install([sixty], { embedder });
    expect((await install([thirty], { embedder })).rebuild?.kind).toBe("refit");
    expect(asked).toHaveLength(90);
    const once = join(dir, "once");
    await install([sixty, thirty], { lake: once, embedder });
    expect(await answers(lake, embedder)).toBe(await answers(once, embedder));
    expect((await indexOf()).vectorSets).toEqual((await indexOf(once)).vectorSets);
  });

  it("is none where all vectors are of an embedder of the user's own", { tags: "slow" }, async () => {
    const { asked, embedder } = countingEmbedder();
    const slice = await slicesOf(60, 90);
    const options = { embedder, localSet: false };
    await install([await slicesOf(0, 60)], options);
    expect(await install([slice], options)).toMatchObject({ change: "added", rebuild: undefined });
    expect(asked).toHaveLength(90);
    expect((await verifyLake(lake)).problems).toEqual([]);
  });

  it("is compacted with the same answers", { tags: "slow" }, async () => {
    await startWithSixty();
    await install([thirty]);
    const before = await answers(lake);
    await compactLake({ lake, threads: 1 });
    expect((await indexOf()).segments).toHaveLength(1);
    expect(await answers(lake)).toBe(before);
  });

  it("leaves the lake as it was when it is given up", async () => {
    await startWithSixty();
    const before = await answers(lake);
    for (const phase of ["index", "fit", "embed"]) {
      const given = new AbortController();
      const onProgress: InstallOptions["onProgress"] = (event) => {
        if (event.phase === phase) given.abort(new Error(phase));
      };
      await expect(install([thirty], { signal: given.signal, onProgress })).rejects.toThrow(phase);
      expect(await answers(lake)).toBe(before);
      expect(await readdir(join(lake, "generations"))).toEqual(["1"]);
    }
    expect((await install([thirty])).rebuild?.kind).toBe("refit");
  });
});

describe("all is built again", () => {
  const kindOf = async (...args: Parameters<typeof install>) => {
    const { change, rebuild } = await install(...args);
    expect(change).toBe("built");
    return [rebuild?.kind, rebuild?.reason];
  };

  it("where more comes than was there", async () => {
    await install([await slicesOf(0, 30)]);
    expect(await kindOf([await slicesOf(30, 90)])).toEqual(["rebuild", "growth"]);
  });

  it("where a quarter of the rows is shown no more", { tags: "slow" }, async () => {
    await startWithSixty();
    await install([await slicesOf(0, 16, 1)]);
    await install([await slicesOf(16, 20, 2)]);
    expect(await kindOf([await slicesOf(0, 4, 3)])).toEqual(["rebuild", "fit"]);
  });

  it("where something was removed: the new embedder is to know nothing of it", async () => {
    await startWithSixty();
    await removeRecords([{ kind: "record", id: makeRecord(7).id }], { lake, reason: "test" });
    expect(await kindOf([thirty])).toEqual(["rebuild", "growth"]);
  });
});
