import { cp, mkdtemp, open as openFile, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Interruption } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";
import type { InstallOptions } from "../../src/lake/install/install-options.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import type { InstallProgress } from "../../src/lake/install/publish-generation.js";
import { Lake } from "../../src/lake/lake.js";
import { compactLake } from "../../src/lake/maintain/compact-lake.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { LOCAL_VECTORS } from "../../src/search/index-manifest.js";
import { VECTOR_FILES } from "../../src/search/vector/vector-files.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { readGenerationManifest } from "../../src/store/generation/generation-manifest.js";
import { countingEmbedder } from "./counting-embedder.js";
import { batches, INFO, makeAlike, makeRecord } from "./items.js";

const { asked, embedder } = countingEmbedder();
/** Two segments that an install leaves alone, and one record after which both are to be merged with it: more than an install does at once. */
const SIZES = [1_160, 1_159, 1];

let dir: string;
/** Before the last slice comes. */
let before: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-merging-"));
  let from = 0;
  for (const [i, size] of SIZES.entries()) {
    await write(`slices-${i}`, from, from + size);
    from += size;
  }
  await write("more", from, from + 1);
  before = join(dir, "before");
  for (const i of [0, 1]) await add(before, `slices-${i}`);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function write(name: string, from: number, to: number) {
  await writeSlices(batches(makeAlike(from, to)), { out: join(dir, name), info: INFO });
}

const add = (lake: string, name: string, options: Partial<InstallOptions> = {}) =>
  installSlices([join(dir, name)], { lake, threads: 1, embedder, localSet: false, ...options });

async function copyOf(lake: string): Promise<string> {
  const copy = await mkdtemp(join(dir, "copy-"));
  await cp(lake, copy, { recursive: true });
  return copy;
}

async function currentOf(lake: string) {
  const number = (await readFile(join(lake, "CURRENT"), "utf8")).trim();
  const path = join(lake, "generations", number);
  return { path, segments: (await readGenerationManifest(path)).segments.map(({ records }) => records) };
}

const lastId = makeRecord((SIZES[0]! + SIZES[1]!) * 3 + 1).id;

async function holds(lake: string, id: string): Promise<boolean> {
  const open = await Lake.open(lake, { embedder });
  try {
    return (await open.corpus.recordRow(id)) !== undefined;
  } finally {
    await open.close();
  }
}

describe("segments that are to be merged", () => {
  it("are merged once what came can be searched, and no text is embedded again", async () => {
    expect((await currentOf(before)).segments).toEqual([1_160, 1_159]);
    const lake = await copyOf(before);
    const phases: InstallProgress[] = [];
    const found: Promise<boolean>[] = [];
    const { generation, merge, total, records, change } = await add(lake, "slices-2", {
      onProgress: (progress) => {
        phases.push(progress);
        if (progress.phase === "merge" && found.length === 0) found.push(holds(lake, lastId));
      },
    });
    expect(await Promise.all(found)).toEqual([true]);
    expect(merge).toEqual({ segments: { before: 2, after: 1 }, records: 2_320, raw: 2_320 });
    expect([change, records.added, total.records]).toEqual(["added", 1, 2_320]);
    expect(asked).toHaveLength(2_320);
    expect((await currentOf(lake)).segments).toEqual([2_320]);
    expect(await readFile(join(lake, "CURRENT"), "utf8")).toBe(`${generation}\n`);
    const merging = phases.findIndex(({ phase }) => phase === "merge");
    expect(phases[merging - 1]).toMatchObject({ phase: "publish", done: 1 });
    const rest = phases.slice(merging);
    expect(new Set(rest.map(({ phase }) => phase))).toEqual(new Set(["merge"]));
    expect(rest.at(-1)).toEqual({ phase: "merge", done: 2_320, total: 2_320, unit: "records" });
    expect((await verifyLake(lake)).problems).toEqual([]);
    const again = await add(lake, "slices-2");
    expect([again.change, again.generation, again.merge]).toEqual(["none", generation, undefined]);
  });

  it("stay when the merge is aborted: all is installed, and the next install merges them", async () => {
    const lake = await copyOf(before);
    const stop = new AbortController();
    const { merge, generation } = await add(lake, "slices-2", {
      signal: stop.signal,
      onProgress: ({ phase, done }) => {
        if (phase === "merge" && done > 0) stop.abort();
      },
    });
    expect(merge).toEqual({ segments: { before: 2, after: 2 }, records: 0, raw: 0, ended: "aborted" });
    expect(await readFile(join(lake, "CURRENT"), "utf8")).toBe(`${generation}\n`);
    expect((await currentOf(lake)).segments).toEqual([1_160, 1_160]);
    expect((await verifyLake(lake)).problems).toEqual([]);
    const again = await add(await copyOf(lake), "slices-2");
    expect([again.change, again.generation, again.merge?.segments]).toEqual([
      "none",
      generation + 1,
      { before: 2, after: 1 },
    ]);
    await add(lake, "more");
    expect((await currentOf(lake)).segments).toEqual([2_321]);
    expect((await verifyLake(lake)).problems).toEqual([]);
  });

  it("keep the vectors of the default embedder, unless these are damaged", { tags: "slow" }, async () => {
    const lake = join(dir, "local");
    const local = { embedder: undefined, localSet: true };
    await write("first", 10_000, 17_000);
    for (const name of ["first", "slices-0", "slices-1"]) await add(lake, name, local);
    const [damaged, interrupted] = [await copyOf(lake), await copyOf(lake)];
    const vectors = (path: string, segment: string) =>
      join(path, "search", segment, LOCAL_VECTORS, VECTOR_FILES.byteVectors);
    const { path } = await currentOf(damaged);
    const file = await openFile(vectors(path, "segment-0001"), "r+");
    await file.write(Buffer.from([77, 78, 79]), 0, 3, 5_000);
    await file.close();
    const merged: Buffer[] = [];
    for (const one of [lake, damaged]) {
      const { merge } = await add(one, "slices-2", local);
      expect(merge).toMatchObject({ segments: { before: 3, after: 2 }, records: 2_320 });
      expect((await verifyLake(one)).problems).toEqual([]);
      merged.push(await readFile(vectors((await currentOf(one)).path, "segment-0004")));
    }
    expect(merged[0]!.equals(merged[1]!)).toBe(true);
    const answers = async () => {
      const open = await Lake.open(lake);
      const { rows, scores } = await open.index.rank("camera news", open.corpus.match({}), { limit: 50 });
      const ids = (await open.corpus.records(rows)).map(({ id }) => id);
      await open.close();
      return [ids, scores];
    };
    const found = await answers();
    await compactLake({ lake, threads: 1 });
    expect(await answers()).toEqual(found);

    const command = await interruptedMerge(["install", join(dir, "slices-2"), "--lake", interrupted]);
    expect(command.code).toBe(130);
    expect(command.out).toContain(
      "1 record and 1 raw item added\nSegments are not merged: it was interrupted.",
    );
    expect((await currentOf(interrupted)).segments).toEqual([7_000, 1_160, 1_160]);
  });
});

/** Runs a command that is interrupted as soon as it merges segments. */
async function interruptedMerge(args: readonly string[]) {
  const stop = new AbortController();
  let out = "";
  const stream = (write: (text: string) => void) => ({ write, isTty: true, columns: 120, color: false });
  const code = await runCli(args, {
    out: stream((text) => {
      out += text;
    }),
    err: stream((text) => {
      if (text.includes("merging segments")) stop.abort(new Interruption("SIGINT"));
    }),
    env: {},
    cwd: dir,
    signal: stop.signal,
  });
  return { code, out };
}
