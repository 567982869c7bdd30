import { chmod, link, mkdir, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compileGlob } from "../../src/ingest/readers/glob.js";
import { hiveKeys } from "../../src/ingest/readers/hive-keys.js";
import { readSource } from "../../src/ingest/readers/read-source.js";
import type { SourceRow } from "../../src/ingest/readers/source-row.js";
import { cut, expectIngestError, readAll, Scratch } from "./support.js";
import { zipOf } from "./zip-writer.js";

describe("globs", () => {
  it.each([
    ["*.jsonl", "a.jsonl", true],
    ["*.jsonl", "x/y/a.jsonl", true],
    ["*.jsonl", "a.json", false],
    ["*.jsonl", ".hidden.jsonl", false],
    ["*.jsonl", "__MACOSX/a.jsonl", false],
    ["*.jsonl", ".git/a.jsonl", false],
    ["*", "a", true],
    ["reviews/*.csv", "x/reviews/a.csv", true],
    ["reviews/*.csv", "xreviews/a.csv", false],
    ["reviews/*.csv", "reviews/x/a.csv", false],
    ["**/a.csv", "a.csv", true],
    ["d/**/a.csv", "d/x/y/a.csv", true],
    ["d/**/a.csv", "d/a.csv", true],
    ["d/**", "d/x/y", true],
    ["d/**", "e/x/y", false],
    ["{train,test}.csv", "x/test.csv", true],
    ["{a,b/{c,d}}.txt", "b/d.txt", true],
    ["a?c", "abc", true],
    ["a?c", "a手c", true],
    ["a?c", "a/c", false],
    ["a.b+(c)[d].txt", "a.b+(c)[d].txt", true],
    ["a{b", "a{b", true],
    [".hidden/*.csv", ".hidden/a.csv", true],
    ["/a.csv", "x/a.csv", true],
  ])("%s against %s: %s", (glob, path, expected) => {
    expect(compileGlob(glob)(path)).toBe(expected);
  });
});

describe("Hive-style folders", () => {
  it("are keys, decoded", () => {
    expect(hiveKeys("year=2026/city=a%20b%2Fc/x.csv")).toEqual({ year: "2026", city: "a b/c" });
    expect(hiveKeys("k=__HIVE_DEFAULT_PARTITION__/bad=%zz/x")).toEqual({ k: null, bad: "%zz" });
    expect(hiveKeys("a/b=c")).toBeUndefined();
  });
});

describe("inputs", () => {
  let scratch: Scratch;
  beforeEach(async () => {
    scratch = await Scratch.make();
  });
  afterEach(() => scratch.remove());

  it("gives keys of folders to rows without such a field, in every format", async () => {
    await scratch.write("day=2026-05-27/a.csv", "v\n1\n");
    await scratch.write("day=2026-05-28/a.jsonl", '{"v":2}\n{"day":"x"}\n[3]\n');
    const { rows } = await readAll(scratch.dir);
    expect(rows.map(({ file, value }) => [file, value])).toEqual([
      ["day=2026-05-27/a.csv", { day: "2026-05-27", v: "1" }],
      ["day=2026-05-28/a.jsonl", { day: "2026-05-28", v: 2 }],
      ["day=2026-05-28/a.jsonl", { day: "x" }],
      ["day=2026-05-28/a.jsonl", [3]],
    ]);
    const one = await readAll(join(scratch.dir, "day=2026-05-27"));
    expect(one.values).toEqual([{ day: "2026-05-27", v: "1" }]);
  });

  it("come source by source, files by path, each file to the first source that matches", async () => {
    for (const name of ["b/posts.jsonl", "a/comments.jsonl", "b/comments.jsonl", "a/posts.jsonl"]) {
      await scratch.write(name, `"${name}"\n`);
    }
    await scratch.write("README.md", "#");
    await scratch.write("labels.txt", "#");
    const rows: SourceRow[] = [];
    const notRead: unknown[] = [];
    const batches = readSource([scratch.dir], {
      sources: [
        { name: "posts", files: ["posts.jsonl"] },
        { name: "rest", files: ["*.jsonl"] },
      ],
      unread: [{ files: ["labels.txt"], reason: "labels of another task" }],
      onNotRead: (file) => notRead.push(file),
    });
    for await (const batch of batches) rows.push(...batch);
    expect(rows.map(({ source, value }) => [source, value])).toEqual([
      ["posts", "a/posts.jsonl"],
      ["posts", "b/posts.jsonl"],
      ["rest", "a/comments.jsonl"],
      ["rest", "b/comments.jsonl"],
    ]);
    expect(notRead).toEqual([
      { file: "README.md", reason: "matches none of the adapter's file patterns", expected: false },
      { file: "labels.txt", reason: "labels of another task", expected: true },
    ]);
  });

  it("are named apart when there are several, and read once however often they are named", async () => {
    const a = await scratch.write("one/x.jsonl", '"a"\n');
    await scratch.write("two/x.jsonl", '"b"\n');
    await link(a, join(scratch.dir, "two/y.jsonl"));
    await symlink(a, join(scratch.dir, "two/z.jsonl"));
    const folders = [join(scratch.dir, "two"), join(scratch.dir, "one"), a];
    const { rows } = await readAll(folders);
    expect(rows.map(({ file, value }) => [file, value])).toEqual([
      ["two/x.jsonl", "b"],
      ["two/y.jsonl", "a"],
      ["two/z.jsonl", "a"],
    ]);
    const files = [a, join(scratch.dir, "two/x.jsonl")];
    expect((await readAll(files)).rows.map(({ file }) => file)).toEqual(["one/x.jsonl", "two/x.jsonl"]);
  });

  it("say which names lead to one file, in any order of the inputs", async () => {
    const a = await scratch.write("in/day=1/a.jsonl", '{"n":1}\n');
    await symlink(a, join(scratch.dir, "link.jsonl"));
    const inputs = [relative(process.cwd(), a), a, join(scratch.dir, "link.jsonl"), join(scratch.dir, "in")];
    for (const order of [inputs, inputs.toReversed()]) {
      const { rows, notRead } = await readAll(order);
      expect(rows.map(({ file, value }) => [file, value])).toEqual([
        ["in/day=1/a.jsonl", { day: "1", n: 1 }],
      ]);
      expect(notRead.map(({ file, sameAs, expected }) => [file, sameAs, expected]).sort()).toEqual([
        ["a.jsonl", "in/day=1/a.jsonl", false],
        ["a.jsonl", "in/day=1/a.jsonl", false],
        ["link.jsonl", "in/day=1/a.jsonl", false],
      ]);
      expect(notRead[0]?.reason).toBe("is the same file as in/day=1/a.jsonl; it is read once");
    }
    const twice = await readAll([a, a]);
    expect(twice.values).toEqual([{ n: 1 }]);
    expect(twice.notRead.map(({ reason }) => reason)).toEqual(["is named more than once; it is read once"]);
  });

  it("are read by the name that a source takes, whichever of their names comes first", async () => {
    const blob = await scratch.write("cache/blobs/0a1b", "1\n");
    await mkdir(join(scratch.dir, "cache/snapshots"));
    await symlink(blob, join(scratch.dir, "cache/snapshots/a.jsonl"));
    const { rows, notRead } = await readAll(join(scratch.dir, "cache"), { files: ["*.jsonl"] });
    expect(rows.map(({ file }) => file)).toEqual(["snapshots/a.jsonl"]);
    expect(notRead).toMatchObject([{ file: "blobs/0a1b", sameAs: "snapshots/a.jsonl", expected: true }]);
    const other = await scratch.write("in/b.dat", "2\n");
    const read = { files: ["*.jsonl"], read: { as: "jsonl" } as const };
    for (const inputs of [
      [join(scratch.dir, "in"), other],
      [other, join(scratch.dir, "in")],
    ])
      expect((await readAll(inputs, read)).values).toEqual([2]);
  });

  it("of an archive or a stream of bytes are read once, too", async () => {
    const archive = await scratch.write("a.zip", zipOf([{ name: "a.jsonl", data: Buffer.from("1\n") }]));
    await symlink(archive, join(scratch.dir, "b.zip"));
    const { values, notRead } = await readAll([archive, join(scratch.dir, "b.zip")]);
    expect([values, notRead.map(({ sameAs }) => sameAs)]).toEqual([[1], ["a.zip"]]);
    const stream = () => ({ name: "-.jsonl", bytes });
    const bytes = cut(Buffer.from("1\n"), [8]);
    const piped = await readAll([stream(), stream()]);
    expect([piped.values, piped.notRead.map(({ sameAs }) => sameAs)]).toEqual([[1], ["-.jsonl"]]);
  });

  it("may be any file for an adapter with one source, when named outright", async () => {
    const path = await scratch.write("export.JSONL", "1\n");
    expect((await readAll(path, { files: ["other.jsonl"] })).values).toEqual([1]);
    await expectIngestError(readAll(scratch.dir, { files: ["other.jsonl"] }), {
      code: "nothing_to_read",
      reason: /No file of 1 found matches the adapter's patterns \(other\.jsonl\): export\.JSONL/,
    });
  });

  it("are missed by name where an input holds none", async () => {
    const empty = { code: "nothing_to_read", reason: /: empty\.zip holds no files$/ };
    const archive = await scratch.write("empty.zip", zipOf([]));
    expect((await expectIngestError(readAll(archive), empty)).value).toEqual(["empty.zip"]);
    const onlyFolders = zipOf([{ name: "a/", data: Buffer.alloc(0), mode: 0o40755 }]);
    await expectIngestError(readAll(await scratch.write("empty.zip", onlyFolders)), empty);
    const folder = join(scratch.dir, "bare");
    await mkdir(join(folder, "inner"), { recursive: true });
    await expectIngestError(readAll(folder), { code: "nothing_to_read", reason: /: bare holds no files$/ });
    await expectIngestError(readAll([folder, archive]), { ...empty, file: "empty.zip" });
    const beside = await scratch.write("a.jsonl", "1\n");
    const { values, notRead } = await readAll([archive, beside]);
    expect(values).toEqual([1]);
    expect(notRead).toEqual([{ file: "empty.zip", reason: "holds no files", expected: false }]);
  });

  it("survive links that loop or lead nowhere, and say so", async () => {
    await scratch.write("d/a.jsonl", "1\n");
    await symlink(scratch.dir, join(scratch.dir, "d/loop"));
    await symlink("nowhere", join(scratch.dir, "d/broken"));
    const { values, notRead } = await readAll(scratch.dir, { files: ["*.jsonl"] });
    expect(values).toEqual([1]);
    expect(notRead.map(({ reason }) => reason)).toEqual([
      "is a broken link or cannot be examined",
      "is a link to a folder around it",
    ]);
  });

  it("must exist and be readable", async () => {
    await expectIngestError(readAll([]), { code: "no_input" });
    await expectIngestError(readAll(join(scratch.dir, "nothing")), { code: "input_not_found" });
    if (process.getuid?.() === 0) return;
    const path = await scratch.write("a.jsonl", "1\n");
    await chmod(path, 0);
    await expectIngestError(readAll(path), { code: "file_unreadable", file: "a.jsonl" });
  });

  it("tell how far reading has come, in bytes and rows", async () => {
    await scratch.write("a.jsonl", "1\n".repeat(3000));
    await scratch.write("b.jsonl", "2\n");
    const seen: [number, number][] = [];
    await readAll(scratch.dir, {
      onProgress: ({ bytesRead, bytesTotal, rows }) => {
        expect(bytesTotal).toBe(6002);
        seen.push([bytesRead, rows]);
      },
    });
    expect(seen.at(-1)).toEqual([6002, 3001]);
    expect(seen).toEqual([...seen].sort((x, y) => x[0] - y[0] || x[1] - y[1]));
  });
});
