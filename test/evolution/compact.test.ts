import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { corpusHash } from "../../src/lake/corpus-hash.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { removeRecords } from "../../src/lake/removals/remove-records.js";
import { readSliceManifest } from "../../src/slice/verify-slice.js";
import { pullSlices } from "../../src/transfer/pull/pull-slices.js";
import { capture } from "../cli/capture.js";
import { answersOf } from "../lake/same-answers.js";
import {
  COMPACT,
  commentId,
  commentText,
  EMBEDDER,
  QUICK,
  recordId,
  VIDEO,
  videoId,
  videos,
  write,
} from "./support.js";

let dir: string;
let lake: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-compact-"));
  lake = join(dir, "lake");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function answers(): Promise<string> {
  const open = await Lake.open(lake, { embedder: EMBEDDER, exact: true });
  try {
    const all = JSON.parse(await answersOf(open, ["giraffe3 zebra3x1", "video"])) as unknown[];
    // The slices are not the same after a purge.
    return JSON.stringify(
      all.filter((answer) => !Object.hasOwn(Object(answer), "manifests")),
      null,
      1,
    );
  } finally {
    await open.close();
  }
}

/** Every byte of the lake's own files that can be looked through for a text: those of Parquet are compressed. */
async function filesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(lake, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

describe("compactLake", () => {
  it("merges segments into one, with the same answers", { tags: "slow" }, async () => {
    await installSlices(await write(join(dir, "a"), videos(0, 40)), { lake, ...QUICK });
    await installSlices(await write(join(dir, "b"), videos(36, 44, 25, 1)), { lake, ...QUICK });
    await installSlices(await write(join(dir, "c"), videos(44, 50)), { lake, ...QUICK });
    const before = await answers();
    const hash = await corpusHash(lake);
    const report = await compactLake({ lake, ...COMPACT });
    expect(report).toMatchObject({
      generation: 4,
      change: "compacted",
      segments: { before: 2, after: 1 },
      dropped: { records: 4, raw: 16 },
      revised: [],
      corpus: hash,
    });
    expect(await answers()).toBe(before);
    expect(await compactLake({ lake, ...COMPACT })).toMatchObject({ change: "none", generation: 4 });
  });

  it("keeps the fitted embedder where nothing was removed", { tags: "slow" }, async () => {
    await installSlices(await write(join(dir, "a"), videos(0, 40)), { lake, threads: 1 });
    await installSlices(await write(join(dir, "b"), videos(40, 50)), { lake, threads: 1 });
    const open = await Lake.open(lake);
    const row = await open.corpus.recordRow(recordId(45));
    const before = open.index.vector(row!).slice();
    await compactLake({ lake, threads: 1 });
    await open.refresh();
    const after = open.index.vector((await open.corpus.recordRow(recordId(45)))!);
    expect(Array.from(after)).toEqual(Array.from(before));
    await open.close();
  });

  it("purges what was removed: revisions take the place of slices, and no byte of it stays", {
    tags: "slow",
  }, async () => {
    const slices = await write(join(dir, "a"), videos(0, 30));
    await installSlices(slices, { lake, ...QUICK });
    await removeRecords([{ kind: "record", id: recordId(7) }], { lake, reason: "test" });
    const before = await answers();
    await compactLake({ lake, ...COMPACT });
    expect(await answers()).toBe(before);
    const { corpus, withheld } = await removeRecords(
      [{ kind: "raw", platform: VIDEO, resource: "comment", id: commentId(9, 1) }],
      { lake, reason: "test" },
    );
    expect(withheld.length).toBeGreaterThan(0);
    const report = await compactLake({ lake, ...COMPACT });
    expect(report).toMatchObject({ change: "compacted", corpus });
    expect(report.revised.map(({ from }) => from).sort()).toEqual([...withheld].sort());
    for (const { from, to } of report.revised) {
      const { mirrorlake } = await readSliceManifest(join(lake, "slices", to!));
      expect(mirrorlake.revision).toBeGreaterThan(1);
      expect(mirrorlake.supersedes).toContain(from);
    }
    // The words stay in no file; ids stay in the list of removals alone.
    for (const text of ["giraffe7 ", commentText(7, 0), commentText(9, 1), commentText(9, 2)]) {
      expect(await filesWith(text)).toEqual([]);
    }
    expect((await filesWith(videoId(7))).map((path) => path.slice(lake.length + 1))).toEqual([
      "removals.jsonl",
    ]);
    const open = await Lake.open(lake, { embedder: EMBEDDER });
    expect(open.withheld.size).toBe(0);
    const [record] = await open.corpus.records([(await open.corpus.recordRow(recordId(9)))!]);
    expect(record!.comment_thread).toEqual([commentText(9, 0)]);
    await open.close();
    // What was there before is not taken in again.
    expect(await installSlices(slices, { lake, ...QUICK })).toMatchObject({ change: "none" });
    expect(await corpusHash(lake)).toBe(corpus);
  });

  it("drops a slice of which nothing is left, and does not take it in again", { tags: "slow" }, async () => {
    await installSlices(await write(join(dir, "a"), videos(0, 8, 3)), { lake, ...QUICK });
    const lone = await write(join(dir, "b"), videos(100, 101, 50));
    await installSlices(lone, { lake, ...QUICK });
    await removeRecords([{ kind: "record", id: recordId(100) }], { lake, reason: "test" });
    const { revised, corpus } = await compactLake({ lake, ...COMPACT });
    expect(revised).toEqual([{ from: expect.any(String), to: null }]);
    expect(await readdir(join(lake, "slices"))).toHaveLength(1);
    expect(await installSlices(lone, { lake, ...QUICK })).toMatchObject({
      change: "none",
      slices: [{ root: revised[0]!.from, state: "removed" }],
    });
    expect(await readdir(join(lake, "slices"))).toHaveLength(1);
    // Nor does a pull fetch it, here or for a lock file that pins it.
    const { slices, install } = await pullSlices(lone[0]!, { lake, ...COMPACT });
    expect([slices.map(({ state }) => state), install]).toEqual([["removed"], undefined]);
    const pulled = await capture(["pull", lone[0]!, "--lake", lake, "--no-lock"]);
    expect(pulled.out).toBe("nothing to pull: removals left nothing of 1 slice\n");
    expect(await corpusHash(lake)).toBe(corpus);
  });
});
