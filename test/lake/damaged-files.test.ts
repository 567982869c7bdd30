import { cp, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { diagnoseLake } from "../../src/client/diagnose-lake.js";
import { Database } from "../../src/duckdb/database.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { Lake } from "../../src/lake/lake.js";
import { verifyAgainstSlices } from "../../src/lake/verify/verify-against-slices.js";
import { verifyLake } from "../../src/lake/verify/verify-lake.js";
import { verifyRawRows } from "../../src/lake/verify/verify-rows.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { readSliceManifests } from "../../src/store/generation/generation-manifest.js";
import { openGeneration } from "../../src/store/generation/open-generation.js";
import { RemovalList } from "../../src/store/removals/removal-list.js";
import { QUICK, videos, write } from "../evolution/support.js";
import { batches, INFO, makeComment } from "./items.js";

let all: string;
let lake: string;
let generation: string;
beforeAll(async () => {
  all = await mkdtemp(join(tmpdir(), "mirrorlake-damaged-files-"));
  await installSlices(await write(join(all, "a"), videos(0, 12)), { lake: join(all, "lake"), ...QUICK });
});
afterAll(() => rm(all, { recursive: true, force: true }));
beforeEach(async () => {
  lake = join(await mkdtemp(join(all, "test-")), "lake");
  await cp(join(all, "lake"), lake, { recursive: true });
  generation = join(lake, "generations", "1");
});

const QUIET = { recall: false, threads: 0 } as const;
const open = async () => (await Lake.open(lake)).close();

describe("a generation with a damaged file", () => {
  it.each(["{", "[{}]", "7"])("is refused with a code where price changes are %s", async (text) => {
    const path = join(generation, "price-changes.json");
    await writeFile(path, text);
    const error = { code: "generation_corrupt", value: path, remedy: expect.stringContaining("--rebuild") };
    await expect(open()).rejects.toMatchObject(error);
    // Without checksums it is the reader of the file that finds it.
    await rm(join(generation, "checksums.txt"));
    await expect(open()).rejects.toMatchObject(error);
  });

  it("that lost its checksums is not called sound, nor by doctor", async () => {
    const path = join(generation, "checksums.txt");
    await rm(path);
    const missing = { code: "file_missing", remedy: expect.stringContaining("--rebuild") };
    const report = await verifyLake(lake, QUIET);
    expect(report).toMatchObject({ ok: false, files: "absent", problems: [{ ...missing, value: path }] });
    expect((await diagnoseLake(lake)).findings).toMatchObject([{ ...missing, level: "warning" }]);
    await installSlices([join(lake, "slices")], { lake, rebuild: true, ...QUICK });
    expect((await verifyLake(lake, QUIET)).problems).toEqual([]);
  });

  it.each(["languages.bin", "records.keys", "raw.rows", "columns"])(
    "is told by coded lines alone: %s",
    async (part) => {
      const names = await readdir(generation, { recursive: true, withFileTypes: true });
      const paths = names
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      const path = paths.find((each) => each.slice(generation.length).includes(part))!;
      await truncate(path, 1);
      const { problems } = await verifyLake(lake, QUIET);
      const codes = problems.map(({ code }) => code);
      expect(codes).toContain("file_changed");
      expect(codes).not.toContain("unexpected");
      expect(codes).not.toContain("enoent");
    },
  );
});

it("a comparison with slices takes rows share by share, and what it cannot hold in memory to the folder that it is given", {
  tags: "slow",
}, async () => {
  const comments = Array.from({ length: 60_000 }, (_, n) => ({ kind: "raw" as const, raw: makeComment(n) }));
  const slices = join(all, "many");
  await writeSlices(batches(comments, 2000), { out: slices, info: INFO });
  await installSlices([slices], { lake: join(all, "large"), ...QUICK });
  const dir = join(all, "large", "generations", "1");
  const sources = (await readSliceManifests(dir)).map((manifest) => ({
    dir: join(slices, manifest.mirrorlake.root),
    manifest,
  }));
  const problems: string[] = [];
  await writeFile(join(all, "file"), "");
  const tempDirectory = join(all, "file", "spill"); // cannot be made
  const compare = (memoryLimit: string, comparedRows: number) => {
    const options = { removals: new RemovalList(), tempDirectory };
    const limits = { memoryLimit, comparedRows };
    return verifyAgainstSlices(dir, sources, options, (code) => problems.push(code), limits);
  };
  await compare("200MB", 9000);
  expect(problems).toEqual([]);
  await expect(compare("30MB", comments.length)).rejects.toThrow(tempDirectory);
  // What is read row by row is not held at all.
  const corpus = await openGeneration(dir);
  const db = await Database.open(corpus.database, { readOnly: true, memoryLimit: "24MB", tempDirectory: "" });
  expect(await verifyRawRows(corpus, db, (code) => problems.push(code), {})).toBe(comments.length);
  expect(problems).toEqual([]);
  await db.close();
  await corpus.close();
});
