import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { openLake } from "../../src/client/open-lake.js";
import type { SliceItem } from "../../src/contract/slice/slice-item.js";
import type { SliceManifest } from "../../src/contract/slice/slice-manifest.js";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { SQL_VIEWS } from "../../src/sql/views.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { readGenerationManifest } from "../../src/store/generation/generation-manifest.js";
import { COMPACT, EMBEDDER, QUICK, videos } from "../evolution/support.js";
import { runs } from "../support/campaign.js";
import { installAtOnce } from "./install-at-once.js";
import { batches, INFO, instant, makeItems, makeRecord, withHash } from "./items.js";
import { pricePoints } from "./price-points.js";
import { answersOf } from "./same-answers.js";

let all: string;
let dir: string;
let lake: string;
const written = new Map<string, SliceManifest[]>();
const foldersOf = (names: readonly string[]) => names.map((name) => join(all, name));

/** Writes the slices of a name. @param revises names of slices that they supersede */
async function write(name: string, items: readonly SliceItem[], ...revises: readonly string[]) {
  const slices = await writeSlices(batches(items), {
    out: join(all, name),
    info: INFO,
    hashes: name.startsWith("odd") ? "keep" : "check",
    revises: revises.length === 0 ? undefined : revises.flatMap((each) => written.get(each)!),
  });
  written.set(
    name,
    slices.map(({ manifest }) => manifest),
  );
}

/** Records whose hash is by another recipe than this library's. */
function oddlyHashed(numbers: readonly number[]): SliceItem[] {
  return numbers.map((n) => {
    const record = makeRecord(n);
    const hash = `0x${String(n).padStart(64, "0")}`;
    return { kind: "record", record: { ...record, prov: { ...record.prov, hash } } };
  });
}

/** Records of a language that nothing else in the lake has, or of another. */
const texts = (lang: string, from: number, to: number): SliceItem[] =>
  Array.from({ length: to - from }, (_, i) => ({
    kind: "record",
    record: withHash(
      {
        id: `web_gnw_x${from + i}`,
        src: "web",
        platform: "global-news",
        lang,
        title: `phones and cameras, stones and rivers ${from + i}`,
      },
      instant(3),
    ),
  }));

beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-revised-"));
  await write("base", makeItems(0, 90));
  await write("a", videos(0, 6, 3));
  // Replaces videos 4 and 5.
  await write("b", videos(4, 8, 5, 1));
  await write("b2", videos(6, 8, 5, 1), "b");
  await write("a2", videos(0, 5, 9, 2), "a");
  await write("a3", videos(0, 9, 10, 3), "a2");
  await write("same", [...videos(0, 5, 3), ...videos(5, 6, 4, 7)], "a");
  await write("c", videos(3, 7, 6, 4));
  await write("both", videos(2, 6, 2, 5), "a", "b");
  await write("early", videos(4, 7, 1, 6));
  await write("points", pricePoints([4, 10, 16, 22], [1, 3, 6, 9]));
  await write("points2", pricePoints([4, 16, 28], [2, 6], 3, 1), "points");
  await write("points3", pricePoints([10], [2, 6], 2, 2), "points2");
  await write("newer", makeItems(9, 12, 1));
  await write("newer2", makeItems(9, 11, 2), "newer");
  await write("odd", oddlyHashed([91, 94, 97]));
  await write("oddPoints", pricePoints([91, 94], [1, 2, 3]));
  await write("oddPoints2", pricePoints([91], [1, 2, 3], 2, 1), "oddPoints");
  await write("vietnamese", texts("vi", 0, 6));
  await write("vietnamese2", texts("en", 2, 3), "vietnamese");
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(all, "test-"));
  lake = join(dir, "lake");
});

async function install(names: readonly string[], options: Partial<InstallOptions> = {}) {
  return installSlices(foldersOf(names), { lake, ...QUICK, ...options });
}

async function generationOf(of = lake): Promise<string> {
  return join(of, "generations", (await readFile(join(of, "CURRENT"), "utf8")).trim());
}
const manifestOf = async (of = lake) => readGenerationManifest(await generationOf(of));

const QUERIES = [
  "camera phone",
  "phones ở rivers",
  "noticias de café",
  "手机",
  "giraffe4 video",
  "zebra5x1",
  '"edition 0"',
];

/** All that a lake answers, and that its SQL does. */
async function everything(of: string): Promise<unknown> {
  await using client = await openLake(of, {
    account: "memory",
    embedder: EMBEDDER,
    exact: true,
    limits: "off",
    readOnly: true,
  });
  const rows: unknown[] = [];
  for (const { name } of SQL_VIEWS) rows.push(name, await client.sql(`SELECT * FROM ${name} ORDER BY ALL`));
  const out = join(dir, "exported.jsonl");
  await rm(out, { force: true });
  await client.export(out, { format: "jsonl", vectors: true });
  const lines = (await readFile(out, "utf8")).split("\n").sort();
  const open = await Lake.open(of, { embedder: EMBEDDER, exact: true });
  try {
    return [await answersOf(open, QUERIES), rows, lines, await corpusHash(of)];
  } finally {
    await open.close();
  }
}

/** A lake that got what another one has at once. */
const atOnce = (options: Partial<InstallOptions> = {}) =>
  installAtOnce(lake, join(dir, "once"), { ...QUICK, ...options });

async function expectAsAtOnce(step: string): Promise<void> {
  expect(await everything(lake), step).toEqual(await everything(await atOnce()));
  expect((await verifyLake(lake, { recall: false, threads: 0 })).problems, step).toEqual([]);
  const { findings } = await diagnoseLake(lake);
  expect(
    findings.filter(({ level }) => level === "error"),
    step,
  ).toEqual([]);
}

describe("an install of a revision adds to the generation, and answers as a lake that got its slices at once", () => {
  const check = async (_what: string, steps: readonly (readonly string[])[]) => {
    await install(steps[0]!);
    for (const names of steps.slice(1)) {
      const { change, rebuild } = await install(names);
      expect([change, rebuild], names.join()).toEqual(["added", undefined]);
      await expectAsAtOnce(names.join());
    }
  };
  type Case = readonly [what: string, steps: readonly (readonly string[])[]];

  it.each<Case>([
    ["brings fewer, and shows again what was replaced", [["base", "a"], ["b"], ["b2"]]],
    ["takes prices from records with hashes of their own", [["base", "odd", "oddPoints"], ["oddPoints2"]]],
  ])("that %s", check);

  it.each<Case>([
    ["brings more, and is revised again", [["base", "a", "b"], ["a2"], ["a3"]]],
    ["changes one record", [["base", "a"], ["same"]]],
    ["takes the place of two slices, and is older than them", [["base"], ["a"], ["b"], ["both"]]],
    ["comes together with another slice", [["base", "a"], ["b"], ["b2", "c"]]],
    ["revises a slice of which nothing was shown", [["base", "early"], ["a3"], ["c"], ["both"]]],
    ["has price points of products of others", [["base", "points"], ["points2"], ["points3"]]],
    ["has products of others' price points", [["base", "points"], ["newer"], ["newer2"]]],
    ["is of part of a merged segment", [["base"], ["a"], ["b"], ["c"], ["newer"], ["b2"], ["a2"]]],
    ["takes all texts of a language", [["a", "base", "vietnamese"], ["vietnamese2"]]],
  ])("that %s", { tags: "slow" }, check);

  it("whatever came before, in whatever order", { tags: "slow" }, async () => {
    await install(["base"]);
    for (const names of [
      ["a"],
      ["b"],
      ["early", "c"],
      ["points"],
      ["both"],
      ["newer", "points2"],
      ["newer2"],
    ])
      await install(names);
    await expectAsAtOnce("all");
    expect((await install(["a", "b", "points", "newer"])).change).toBe("none");
    await compactLake({ lake, ...COMPACT });
    await expectAsAtOnce("compacted");
    const { segments, liveRecords, liveRaw } = await manifestOf();
    expect(segments).toMatchObject([{ records: liveRecords, raw: liveRaw }]);
  });

  it("whatever is installed, in whatever order", { tags: "slow" }, async () => {
    const names = [...written.keys()].filter((name) => name !== "base");
    const order = fc.shuffledSubarray(names, { minLength: 4, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 9 }),
        async (some, sizes) => {
          await rm(lake, { recursive: true, force: true });
          await install(["base"]);
          const left = [...some];
          for (const size of sizes) if (left.length > 0) await install(left.splice(0, size));
          await expectAsAtOnce(some.join());
        },
      ),
      runs(2),
    );
  });
});
