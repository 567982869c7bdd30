import { cp, mkdtemp, open, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { CHECKSUMS_FILE, findFileFaults, readChecksums } from "../../src/store/generation/checksums.js";
import { EMBEDDER, videos, write } from "../evolution/support.js";
import { CAMPAIGN, rounds, SEED } from "../support/campaign.js";
import { count } from "../support/count.js";
import { openFiles, within } from "../support/open-files.js";
import { random } from "./items.js";

const EXCEPT = ["readers.lock"];
/** Flips that the whole of `verify` looks at: the others are found by what it asks first. */
const VERIFIED = rounds(2);

let dir: string;
let lake: string;
let generation: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-flips-"));
  lake = join(dir, "lake");
  await installSlices(await write(join(dir, "a"), videos(0, 12)), { lake, threads: 1 });
  await installSlices(await write(join(dir, "b"), videos(11, 14, 25, 1)), { lake, threads: 1 });
  generation = join(lake, "generations", "2");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function files(): Promise<string[]> {
  const names = await readdir(generation, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && entry.name !== "readers.lock")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Flips bits of one byte, runs the work, and puts the byte back. */
async function flipped<T>(path: string, at: number, mask: number, work: () => Promise<T>): Promise<T> {
  const file = await open(path, "r+");
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  const put = (value: number) => file.write(Uint8Array.of(value), 0, 1, at);
  await put(byte[0]! ^ mask);
  try {
    return await work();
  } finally {
    await put(byte[0]!);
    await file.close();
  }
}

describe("a flipped byte in a generation", () => {
  it("is found, in every file", { tags: "slow" }, async () => {
    const next = random(SEED);
    const paths: string[] = [];
    for (const path of await files()) if ((await stat(path)).size > 0) paths.push(path);
    expect(paths.length).toBeGreaterThan(40);
    expect((await verifyLake(lake, { recall: false, threads: 0 })).files).toBe("whole");
    const flips = Math.max(paths.length, rounds(200));
    const missed: string[] = [];
    for (let i = 0; i < flips; i++) {
      const path = paths[i % paths.length]!;
      const at = Math.floor(next() * (await stat(path)).size);
      const found = await flipped(path, at, 1 << Math.floor(next() * 8), async () => {
        if (i < VERIFIED) return !(await verifyLake(lake, { recall: false, threads: 0 })).ok;
        try {
          const only = [path.slice(generation.length + 1)];
          return (
            (await findFileFaults(generation, (await readChecksums(generation))!, { except: EXCEPT, only }))
              .length > 0
          );
        } catch (error) {
          return (error as { code?: string }).code === "generation_corrupt";
        }
      });
      if (!found) missed.push(`${path} at ${at}`);
    }
    count("flips", flips);
    count("wrong", missed.length);
    expect(missed).toEqual([]);
    if (CAMPAIGN)
      console.log(`${flips} flips in ${paths.length} files, ${VERIFIED} by all of verify: every one found`);
    expect((await verifyLake(lake, { recall: false, threads: 0 })).ok).toBe(true);
  });

  it("in a small file, or in the size of any, is found by opening and by doctor", async () => {
    const small = join(generation, "search", "index.json");
    // A space for a line end: JSON that says the same.
    await flipped(small, 1, 0x0a ^ 0x20, async () => {
      await expect(Lake.open(lake)).rejects.toMatchObject({ code: "generation_corrupt", value: small });
      expect((await diagnoseLake(lake)).findings.map(({ code }) => code)).toContain("generation_corrupt");
    });
    const copy = join(dir, "longer");
    await cp(lake, copy, { recursive: true });
    const longer = join(copy, "generations", "2", "search", "segment-0000", "keyword");
    const [name] = await readdir(longer);
    await writeFile(join(longer, name!), "x", { flag: "a" });
    // One file of an index fails while others are being opened: those are closed again.
    for (let i = 0; i < 8; i++)
      await expect(Lake.open(copy)).rejects.toMatchObject({ remedy: expect.stringContaining("install") });
    expect(openFiles(within(copy))).toEqual([]);
  });

  it("in what the next install would copy makes it rebuild, and one in what it shares stays to be found", {
    tags: "slow",
  }, async () => {
    const copy = join(dir, "grown");
    await cp(lake, copy, { recursive: true });
    const at = join(copy, "generations", "2");
    const more = await write(join(dir, "c"), videos(20, 21));
    const captured = join(at, "columns", "captured.f64");
    const { change } = await flipped(captured, 3, 4, () => installSlices(more, { lake: copy, threads: 1 }));
    expect(change).toBe("built");
    expect((await verifyLake(copy, { recall: false, threads: 0 })).ok).toBe(true);
    const other = join(dir, "shared");
    await cp(lake, other, { recursive: true });
    const rows = join(other, "generations", "2", "segments", "0000", "records.rows");
    const flip = await open(rows, "r+");
    await flip.write(Uint8Array.of(0x7a), 0, 1, 40);
    await flip.close();
    expect((await installSlices(more, { lake: other, threads: 1 })).change).toBe("added");
    const { problems } = await verifyLake(other, { recall: false, threads: 0 });
    expect(problems.map(({ code }) => code)).toContain("file_changed");
  });

  it("a generation without its checksums is said to be unchecked, opens, and the next one has them", {
    tags: "slow",
  }, async () => {
    const old = join(dir, "old");
    await cp(lake, old, { recursive: true });
    await rm(join(old, "generations", "2", CHECKSUMS_FILE));
    expect(await verifyLake(old, { recall: false, threads: 0 })).toMatchObject({
      ok: false,
      files: "absent",
    });
    const open = await Lake.open(old, { embedder: EMBEDDER });
    await open.close();
    await installSlices(await write(join(dir, "d"), videos(30, 31)), { lake: old, threads: 1 });
    expect(await verifyLake(old, { recall: false, threads: 0 })).toMatchObject({ ok: true, files: "whole" });
  });
});
