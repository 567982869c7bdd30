import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import type { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { InstallProgress } from "../../src/lake/install/publish-generation.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import type { Embedder } from "../../src/search/embed/embedder.js";
import { readIndexManifest } from "../../src/search/index-manifest.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { readGenerationManifest } from "../../src/store/generation/generation-manifest.js";
import { recordId, videos } from "../evolution/support.js";
import { countingEmbedder } from "./counting-embedder.js";
import { installAtOnce } from "./install-at-once.js";
import { batches, INFO, makeAlike, makeItems } from "./items.js";
import { pricePoints } from "./price-points.js";
import { answersOf } from "./same-answers.js";

let all: string;
let dir: string;
let lake: string;
const written = new Map<string, SliceManifest[]>();
const sliceOf = (name: string) => join(all, name);

async function write(name: string, items: readonly SliceItem[], revises?: string) {
  const slices = await writeSlices(batches(items), {
    out: sliceOf(name),
    info: INFO,
    revises: revises === undefined ? undefined : written.get(revises)!,
  });
  written.set(
    name,
    slices.map(({ manifest }) => manifest),
  );
}

beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-revised-segments-"));
  await write("base", makeAlike(0, 60));
  await write("base2", makeAlike(0, 25, 1), "base");
  await write("base3", makeAlike(0, 2, 1), "base");
  await write("more", makeItems(1000, 1015));
  await write("last", makeItems(1020, 1040));
  await write("more2", makeItems(1000, 1003, 1), "more");
  await write("last2", makeItems(1030, 1033, 1), "last");
  await write("a", videos(0, 6, 3));
  await write("a2", videos(0, 5, 4, 1), "a");
  await write("b", videos(4, 7, 5, 1));
  await write("b2", videos(6, 7, 5, 1), "b");
  await write("large", makeAlike(0, 3_200));
  await write("large2", makeAlike(0, 9, 1), "large");
  await write("points", pricePoints([10_000, 10_006, 10_012, 20_002], [1, 3, 6, 9]));
  await write("middle", makeItems(10_000, 11_050));
  await write("small", makeItems(20_000, 20_030));
  await write("middle2", makeItems(10_000, 10_040, 1), "middle");
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(all, "test-"));
  lake = join(dir, "lake");
});

/** Installs slices, and returns the report with what was done at most in each phase. */
async function install(names: readonly string[], options: Partial<InstallOptions> = {}) {
  const done: Partial<Record<InstallProgress["phase"], number>> = {};
  const report = await installSlices(names.map(sliceOf), {
    lake,
    threads: 1,
    ...options,
    onProgress: ({ phase, done: count }) => {
      done[phase] = Math.max(count, done[phase] ?? 0);
    },
  });
  return { ...report, done };
}

async function generationOf(of = lake): Promise<string> {
  return join(of, "generations", (await readFile(join(of, "CURRENT"), "utf8")).trim());
}
const manifestOf = async (of = lake) => readGenerationManifest(await generationOf(of));
const indexOf = async (of = lake) => readIndexManifest(join(await generationOf(of), "search"));

/** Inodes of the files of a folder of the generation. */
async function inodesOf(folder: string): Promise<Map<string, number>> {
  const at = join(await generationOf(), folder);
  const inodes = new Map<string, number>();
  for (const entry of await readdir(at, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      inodes.set(
        join(entry.parentPath, entry.name).slice(at.length),
        (await stat(join(entry.parentPath, entry.name))).ino,
      );
  return inodes;
}

async function answers(of: string, queries: readonly string[] = [], embedder?: Embedder): Promise<string> {
  const open = await Lake.open(of, { exact: true, embedder });
  try {
    const words: unknown[] = [];
    for (const query of ["camera phone", "noticias de café", "giraffe4 video"]) {
      const { rows, scores } = await open.index.rank(query, open.corpus.match({}), {
        limit: 30,
        mode: "keyword",
      });
      words.push(
        (await open.corpus.records(rows)).map(({ id }) => id),
        scores,
      );
    }
    return JSON.stringify([await answersOf(open, queries), words]);
  } finally {
    await open.close();
  }
}

/** A lake that got what another one has at once. */
const atOnce = (options: Partial<InstallOptions> = {}) =>
  installAtOnce(lake, join(dir, "once"), { threads: 1, ...options });

async function expectAsAtOnce(options: Partial<InstallOptions> = {}): Promise<void> {
  const { embedder } = options;
  const queries = embedder === undefined ? [] : ["camera phone", "noticias de café"];
  const once = await atOnce(options);
  expect(await answers(lake, queries, embedder)).toBe(await answers(once, queries, embedder));
  expect((await verifyLake(lake, { recall: false, threads: 0 })).problems).toEqual([]);
}

/** Options with an embedder of the user's own, and what it is asked. */
function counting() {
  const { asked, embedder } = countingEmbedder();
  return { asked, options: { embedder, localSet: false } };
}

describe("a revision of a small part of a lake", () => {
  it("shares segments, and loads, writes and embeds what comes alone", async () => {
    await install(["base", "a"]);
    const before = [await inodesOf("segments/0000"), await inodesOf("search/segment-0000")];
    const { fit } = await indexOf();
    const report = await install(["a2"]);
    expect(report).toMatchObject({
      change: "added",
      rebuild: undefined,
      records: { added: 5, replaced: 5, outdated: 0 },
      raw: { added: 20, replaced: 20, outdated: 0 },
      total: { slices: 2, records: 65 },
      done: { load: 1, records: 5, raw: 20, index: 5, embed: 5 },
    });
    expect([await inodesOf("segments/0000"), await inodesOf("search/segment-0000")]).toEqual(before);
    expect((await indexOf()).fit).toEqual(fit);
    expect(await manifestOf()).toMatchObject({
      segments: [{ records: 66 }, { records: 5 }],
      grown: 5,
      liveRecords: 65,
    });
    await expectAsAtOnce();
  });

  it("loads again what its slice had replaced, from slices whose bytes are checked", async () => {
    await install(["base", "a"]);
    await install(["b"]);
    const root = written.get("a")![0]!.mirrorlake.root;
    const path = join(lake, "slices", root, "raw.parquet");
    const bytes = await readFile(path);
    const before = await answers(lake);
    const damaged = Buffer.from(bytes);
    damaged[60]! ^= 1;
    // A lake's slices share files with those that it got.
    await rm(path);
    await writeFile(path, damaged);
    await expect(install(["b2"])).rejects.toMatchObject({ code: "slice_corrupt" });
    await rm(path);
    await expect(install(["b2"])).rejects.toMatchObject({ code: "slice_file_missing" });
    expect(await answers(lake)).toBe(before);
    await writeFile(path, bytes);
    expect(await install(["b2"])).toMatchObject({
      change: "added",
      records: { added: 1, replaced: 1, outdated: 0 },
      total: { records: 67 },
      done: { records: 3 },
    });
    await expectAsAtOnce();
  });

  it("is not extended where something was removed", { tags: "slow" }, async () => {
    await install(["base", "a"]);
    await removeRecords([{ kind: "record", id: recordId(1) }], { lake, reason: "test" });
    expect(await install(["a2"])).toMatchObject({ change: "built", rebuild: { reason: "superseded" } });
    expect((await manifestOf()).segments).toHaveLength(1);
  });

  it("leaves rows that a removal and a compaction find, too", { tags: "slow" }, async () => {
    await install(["base", "a"]);
    await install(["a2"]);
    await removeRecords([{ kind: "record", id: recordId(1) }], { lake, reason: "test" });
    const { corpus, dropped } = await compactLake({ lake, threads: 1 });
    expect(dropped.records).toBe(7);
    const { liveRecords, segments } = await manifestOf();
    expect([liveRecords, segments]).toMatchObject([64, [{ records: 64 }]]);
    expect(await corpusHash(lake)).toBe(corpus);
    expect((await verifyLake(lake, { recall: false, threads: 0 })).problems).toEqual([]);
  });

  it("leaves the lake as it was when it is given up, or another install is at work", async () => {
    await install(["base", "a"]);
    const before = await answers(lake);
    for (const phase of ["load", "records", "embed", "publish"]) {
      const given = new AbortController();
      const options: InstallOptions = {
        lake,
        threads: 1,
        signal: given.signal,
        onProgress: (event) => {
          if (event.phase === phase) given.abort(new Error(phase));
        },
      };
      const outcome = installSlices([sliceOf("a2")], options);
      if (phase === "publish") await outcome;
      else {
        await expect(outcome).rejects.toThrow(phase);
        expect(await answers(lake)).toBe(before);
      }
    }
    await expectAsAtOnce();
    const both = await Promise.allSettled([install(["b"]), install(["b", "b2"])]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await install(["b2"]);
    await expectAsAtOnce();
  });
});

describe("a segment of which a revision leaves nothing", () => {
  it("is dropped, the first one too", async () => {
    const { asked, options } = counting();
    await install(["base"], options);
    await install(["more"], options);
    await install(["last"], options);
    expect((await manifestOf()).segments).toMatchObject([{ records: 60 }, { records: 35 }]);
    expect(await install(["base2"], options)).toMatchObject({ change: "added", done: { index: 25 } });
    expect((await manifestOf()).segments).toMatchObject([{ records: 35 }, { records: 25, raw: 25 }]);
    expect(asked).toHaveLength(60 + 35 + 25);
    await expectAsAtOnce(options);
    // What moved can move again, and be followed by more.
    await install(["more2", "last2"], options);
    await install(["a"], options);
    await expectAsAtOnce(options);
  });

  it("is dropped from between others, which stay as they are", { tags: "slow" }, async () => {
    const { asked, options } = counting();
    await install(["large"], options);
    await install(["middle"], options);
    await install(["small"], options);
    expect((await manifestOf()).segments).toMatchObject([
      { name: "0000", records: 3_200 },
      { name: "0001", records: 1_050 },
      { name: "0002", records: 30 },
    ]);
    const before = [await inodesOf("segments/0000"), await inodesOf("search/segment-0000")];
    expect(await install(["middle2"], options)).toMatchObject({ change: "added", done: { index: 70 } });
    // What is merged has its vectors still.
    expect(asked).toHaveLength(3_200 + 1_050 + 30 + 40);
    expect([await inodesOf("segments/0000"), await inodesOf("search/segment-0000")]).toEqual(before);
    expect((await manifestOf()).segments).toMatchObject([
      { name: "0000", records: 3_200 },
      { name: "0003", records: 70 },
    ]);
    await expectAsAtOnce(options);
  });

  it("is dropped before another with changes of prices, which move with it", { tags: "slow" }, async () => {
    const { options } = counting();
    for (const name of ["large", "middle", "small", "points"]) await install([name], options);
    const changes = async () =>
      JSON.parse(await readFile(join(await generationOf(), "price-changes.json"), "utf8")) as object[];
    expect(await changes()).toHaveLength(3);
    expect(await install(["large2"], options)).toMatchObject({ change: "added" });
    expect(await changes()).toHaveLength(3);
    expect((await manifestOf()).segments[0]).toMatchObject({
      name: "0001",
      records: 1_050,
      groupsFrom: 3_200,
    });
    await expectAsAtOnce(options);
  });
});

describe("the embedder", () => {
  it("is refitted to what is shown when a third came since, in place of what goes", {
    tags: "slow",
  }, async () => {
    await install(["base", "a"]);
    await install(["more"]);
    expect(await install(["last", "a2"])).toMatchObject({
      change: "added",
      rebuild: { kind: "refit", reason: "fit", records: 100 },
      total: { records: 100 },
    });
    const once = await atOnce();
    expect((await indexOf()).fit).toEqual((await indexOf(once)).fit);
    const queries = ["camera phone", "noticias de café"];
    expect(await answers(lake, queries)).toBe(await answers(once, queries));
  });

  it("stays where all is built again since little is left of what there was", { tags: "slow" }, async () => {
    await install(["base", "more"]);
    const { fit } = await indexOf();
    expect(await install(["base3"])).toMatchObject({
      change: "built",
      rebuild: { kind: "rebuild", reason: "superseded" },
      total: { records: 17 },
    });
    expect((await indexOf()).fit).toEqual(fit);
    expect((await manifestOf()).grown).toBe(2);
    await expectAsAtOnce();
  });
});
