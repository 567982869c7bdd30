import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../../src/contract/errors.js";
import { makeTemporaryFolder } from "../../src/files/temporary-folder.js";
import type { Adapter } from "../../src/ingest/adapters/adapter.js";
import { type IngestOptions, ingest } from "../../src/ingest/ingest.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { authorSaltOf } from "../../src/lake/author-salt.js";
import { expectIngestError, Scratch } from "./support.js";

const MAPPING = {
  mapping: 1,
  name: "posts",
  info: { title: "Posts of a test", licence: "MIT" },
  sources: [{ name: "posts", files: ["*.jsonl"] }],
  unread: [{ files: ["NOTES.txt"], reason: "notes" }],
  defaults: { platform: "microblog", lang: { value: "en" } },
  rules: [
    {
      from: "posts",
      record: {
        id: "id",
        fields: {
          text: "text",
          "metrics.likes": "likes",
          "author.uid_hash": { path: "uid", author_hash: true },
        },
      },
    },
  ],
};

/** Posts that are more than a batch. */
const BATCHES = 3000;

/** Every file below a folder with the hash of its content. */
async function contentOf(dir: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    content[path.slice(dir.length + 1)] = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  }
  return Object.fromEntries(Object.entries(content).sort());
}

describe("ingest", () => {
  let scratch: Scratch;
  let adapter: Adapter;
  beforeEach(async () => {
    scratch = await Scratch.make();
    adapter = compileMapping(MAPPING);
    await writePosts(300);
    await scratch.write("in/NOTES.txt", "x");
    await scratch.write("in/LICENSE", "MIT");
  });
  afterEach(() => scratch.remove());

  /** Writes so many posts as two files. */
  const writePosts = async (count: number) => {
    await scratch.write("in/a.jsonl", posts(0, count / 2));
    await scratch.write("in/b.jsonl.gz", gzipSync(posts(count / 2, count)));
  };

  const run = (options: Partial<IngestOptions> = {}, input = "in") =>
    ingest([join(scratch.dir, input)], {
      adapter,
      out: join(scratch.dir, "out"),
      capturedAt: "2026-05-27T08:00:00Z",
      authorSalt: "salt",
      ...options,
    });

  /** Without a salt of its own. */
  const runUnsalted = async (out: string, options: Partial<IngestOptions> = {}) => {
    const report = await ingest([join(scratch.dir, "in")], {
      adapter,
      out: join(scratch.dir, out),
      capturedAt: "2026-05-27T08:00:00Z",
      ...options,
    });
    return report.slices.map(({ root }) => root);
  };

  it("writes slices and an empty file of rejects, and reports every row's fate", async () => {
    const seen: string[] = [];
    const report = await run({ onProgress: ({ phase }) => seen.push(phase) });
    expect(report).toMatchObject({
      read: 300,
      records: 300,
      raw: 0,
      rejected: 0,
      unused: 0,
      duplicates: 0,
    });
    expect(report.filesNotRead).toEqual([
      { file: "LICENSE", reason: expect.any(String), expected: false },
      { file: "NOTES.txt", reason: "notes", expected: true },
    ]);
    expect(report.slices).toHaveLength(1);
    const [slice] = report.slices;
    expect(slice?.dir).toBe(join(scratch.dir, "out", slice!.root));
    expect((await readdir(join(scratch.dir, "out"))).sort()).toEqual([slice!.root, "rejects.jsonl"].sort());
    expect(await readdir(slice!.dir)).toContain("records.parquet");
    expect(await readFile(report.rejectsFile, "utf8")).toBe("");
    expect([...new Set(seen)]).toEqual(["read", "write"]);
    expect(await readdir(scratch.dir)).toEqual(expect.arrayContaining(["in", "out"]));
    expect(await readdir(scratch.dir)).toHaveLength(2);
  });

  it("gives the same bytes for the same input, other bytes for another salt", async () => {
    await writePosts(BATCHES);
    await run();
    const first = await contentOf(join(scratch.dir, "out"));
    await rename(join(scratch.dir, "in"), join(scratch.dir, "elsewhere"));
    await run({ out: join(scratch.dir, "again") }, "elsewhere");
    expect(await contentOf(join(scratch.dir, "again"))).toEqual(first);
    await run({ out: join(scratch.dir, "salted"), authorSalt: "pepper" }, "elsewhere");
    expect(Object.keys(await contentOf(join(scratch.dir, "salted")))).not.toEqual(Object.keys(first));
  });

  it("hashes authors with a random salt unless one is given, and keeps it beside the slices for the next run", async () => {
    const first = await runUnsalted("out");
    const file = join(scratch.dir, "out/author-salt");
    const salt = (await readFile(file, "utf8")).trim();
    expect(salt).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await runUnsalted("other")).not.toEqual(first);
    expect(await runUnsalted("out", { replace: true })).toEqual(first);
    expect(await runUnsalted("given", { authorSalt: salt })).toEqual(first);
    expect(await readdir(join(scratch.dir, "given"))).not.toContain("author-salt");
    expect(await runUnsalted("out", { replace: true, authorSalt: "pepper" })).not.toEqual(first);
    expect((await readFile(file, "utf8")).trim()).toBe(salt);
    await rm(join(scratch.dir, "out"), { recursive: true });
    const random = (bytes: number) => Buffer.from(salt, "base64url").subarray(0, bytes);
    expect(await runUnsalted("out", { random })).toEqual(first);
    await expect(runUnsalted("empty", { authorSalt: "" })).rejects.toMatchObject({
      code: "author_salt_empty",
    });
  });

  it("takes the salt of the lake that it names, which gets one with the first slices", {
    tags: "slow",
  }, async () => {
    const lake = join(scratch.dir, "lake");
    const [a, b] = await Promise.all([runUnsalted("a", { lake }), runUnsalted("b", { lake })]);
    expect(a).toEqual(b);
    expect(await readdir(join(scratch.dir, "a"))).not.toContain("author-salt");
    const own = await runUnsalted("own");
    expect(await runUnsalted("own", { lake, replace: true })).toEqual(a);
    expect(await runUnsalted("own", { replace: true })).toEqual(own);
    expect((await readdir(lake)).sort()).toEqual(["author-salt", "mirrorlake.json"]);
    expect(await runUnsalted("c", { authorSalt: await authorSaltOf(lake) })).toEqual(a);
  });

  it("makes no lake where nothing comes of the ingestion, and none of another folder", async () => {
    const lake = join(scratch.dir, "lake");
    await scratch.write("in/c.jsonl", `${post(5000)}{"id":\n`);
    await expectIngestError(runUnsalted("out", { lake, strict: true }), { code: "strict_reject" });
    expect(await readdir(scratch.dir)).toEqual(["in"]);
    for (const name of ["a.jsonl", "b.jsonl.gz", "c.jsonl"]) await rm(join(scratch.dir, "in", name));
    await scratch.write("in/d.jsonl", '{"text":"no id"}\n');
    expect(await runUnsalted("out", { lake })).toEqual([]);
    expect((await readdir(scratch.dir)).sort()).toEqual(["in", "out"]);
    expect(await readdir(join(scratch.dir, "out"))).toEqual(["rejects.jsonl"]);
    for (const foreign of ["in", "in/d.jsonl"]) {
      await expect(runUnsalted("x", { lake: join(scratch.dir, foreign) })).rejects.toMatchObject({
        code: "lake_foreign",
      });
    }
    expect((await readdir(scratch.dir)).sort()).toEqual(["in", "out"]);
  });

  it("writes what does not fit to rejects.jsonl, readers' and adapters' alike, and counts it", async () => {
    await scratch.write(
      "in/c.jsonl",
      `${post(5000)}{"id":\n{"id":5001,"text":"x","likes":"many","uid":"u"}\n{"id":5002,"likes":"few"}\n`,
    );
    const report = await run();
    expect(report).toMatchObject({ read: 304, records: 301, rejected: 3 });
    const rejects = (await readFile(report.rejectsFile, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { file: string; line: number; field: string; reason: string });
    expect(rejects.map(({ file, line }) => [file, line])).toEqual([
      ["c.jsonl", 2],
      ["c.jsonl", 3],
      ["c.jsonl", 4],
    ]);
    expect(rejects[1]?.field).toContain("likes");
    expect(Object.values(report.rejectsByReason).reduce((sum, n) => sum + n, 0)).toBe(3);
  });

  it("fails at the first reject when strict, and leaves nothing", async () => {
    await scratch.write("in/c.jsonl", `${post(5000)}{"id":\n`);
    await expectIngestError(run({ strict: true, out: join(scratch.dir, "x/y/out") }), {
      code: "strict_reject",
      file: "c.jsonl",
      line: 2,
    });
    expect(await readdir(scratch.dir)).toEqual(["in"]);
  });

  it("leaves nothing when an input turns out to be damaged halfway", async () => {
    await scratch.write("in/c.jsonl.gz", gzipSync(posts(BATCHES, 3 * BATCHES)).subarray(0, -30));
    await expectIngestError(run(), { code: "compressed_data_damaged", file: "c.jsonl.gz" });
    expect(await readdir(scratch.dir)).toEqual(["in"]);
  });

  it("leaves nothing when aborted, whenever that is", async () => {
    await writePosts(BATCHES);
    for (const after of [0, 1, 3, 6]) {
      const abort = new AbortController();
      let events = 0;
      const work = run({
        signal: abort.signal,
        onProgress: () => {
          if (events++ === after) abort.abort(new Error("enough"));
        },
      });
      await work.catch((error: unknown) => expect((error as Error).message).toBe("enough"));
      if (events <= after) continue;
      expect(await readdir(scratch.dir)).toEqual(["in"]);
    }
    await expect(run({ signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
    expect(await readdir(scratch.dir)).toEqual(["in"]);
  });

  it("keeps one of two with the same id: silently if identical, else the other is a reject", async () => {
    await scratch.write("in/c.jsonl", `${post(7)}{"id":8,"text":"other","likes":1,"uid":"u"}\n`);
    const report = await run();
    expect(report).toMatchObject({ read: 302, records: 300, duplicates: 1, rejected: 1 });
    expect(await readFile(report.rejectsFile, "utf8")).toContain("soc_mbl_8");
  });

  it("does not touch an output that is there, unless told to replace what an earlier run left", async () => {
    await run();
    const before = await contentOf(join(scratch.dir, "out"));
    const refused = await run().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused).toMatchObject({ code: "out_not_empty", remedy: expect.stringContaining("--replace") });
    await scratch.write("in/d.jsonl", post(9999));
    await run({ replace: true });
    const after = await contentOf(join(scratch.dir, "out"));
    expect(Object.keys(after)).not.toEqual(Object.keys(before));
    expect(await readdir(scratch.dir)).toHaveLength(2);
    await scratch.write("out/mine.txt", "keep me");
    await expect(run({ replace: true })).rejects.toMatchObject({ code: "out_not_empty" });
    expect(existsSync(join(scratch.dir, "out/mine.txt"))).toBe(true);
  });

  it("does not take its own output for input", async () => {
    const inside = { out: join(scratch.dir, "in/out"), replace: true };
    const first = await run(inside);
    const again = await run(inside);
    expect(again.filesNotRead).toEqual(first.filesNotRead);
    expect(again.filesNotRead).toHaveLength(2);
    expect(again.slices.map(({ root }) => root)).toEqual(first.slices.map(({ root }) => root));
  });

  it("keeps an earlier output when replacing it fails", async () => {
    await run();
    const before = await contentOf(join(scratch.dir, "out"));
    await scratch.write("in/c.jsonl", "nonsense\n");
    await expectIngestError(run({ replace: true }), { code: "not_json_lines" });
    expect(await contentOf(join(scratch.dir, "out"))).toEqual(before);
  });

  it("removes what a killed run left, and not what a running one is making", async () => {
    const dead = join(scratch.dir, ".out.partial-999999999-0");
    const alive = await makeTemporaryFolder(scratch.dir, ".out.partial-");
    await mkdir(dead);
    await run();
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(alive.path)).toBe(true);
    await alive.remove();
  });

  it.each([
    [{ capturedAt: "yesterday" }, "bad_captured_at"],
    [{ capturedAt: "2026-05-27T08:00:00" }, "bad_captured_at"],
    [{ language: "english!" }, "bad_language"],
    [{ platform: "nowhere" }, "unknown_platform"],
  ])("refuses options that are not valid: %j", async (options, code) => {
    const error = await run(options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code });
    expect(await readdir(scratch.dir)).toEqual(["in"]);
  });
});

function post(id: number): string {
  return `${JSON.stringify({ id, text: `post number ${id}`, likes: id % 7, uid: `user${id % 50}` })}\n`;
}

function posts(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, i) => post(from + i)).join("");
}
