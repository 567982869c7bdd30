import { chmod, mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DatabaseError, DiskError, LakeError, UsageError } from "../../src/contract/errors.js";
import { diskFull, writingTo } from "../../src/files/writing-to.js";
import { FETCHED_IS_KEPT } from "../../src/transfer/pull/defaults.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-disk-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const failing = (error: unknown) => writingTo(dir, () => Promise.reject(error));
const system = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: as the system says`), { code, path });

describe("a full disk is named", () => {
  test.each([
    ["the system", system("ENOSPC")],
    ["a quota", system("EDQUOT")],
    [
      "DuckDB",
      new DatabaseError("sql_failed", 'Could not write file "x": No space left on device', { remedy: "" }),
    ],
    ["a worker thread", new Error("ENOSPC: no space left on device, write")],
    ["SQLite", new Error("database or disk is full")],
    [
      "an error behind another",
      new UsageError("unwritable_folder", "no", { remedy: "", cause: system("ENOSPC") }),
    ],
    ["a part of the work", diskFull("/elsewhere", 1, 2, undefined)],
  ])("as %s says it", async (_, error) => {
    await expect(failing(error)).rejects.toMatchObject({
      name: "DiskError",
      code: "disk_full",
      message: expect.stringMatching(/^The disk of .* is full: [\d.]+ [kMGT]?B is free, more is wanted$/),
      value: { path: dir, freeBytes: expect.any(Number) },
      cause: error,
    });
  });

  test("by a device that takes nothing", async () => {
    if (process.platform !== "linux") return;
    const write = async () => {
      const file = await open("/dev/full", "w");
      await file.write("x").finally(() => file.close());
    };
    await expect(writingTo(dir, write)).rejects.toMatchObject({ code: "disk_full" });
  });

  test("with what is wanted, where that is known and more than what is free", () => {
    expect(diskFull("/lake", 1_000, 2_500_000, undefined)).toMatchObject({
      message: "The disk of /lake is full: 1.0 kB is free, about 2.5 MB is wanted",
      value: { path: "/lake", freeBytes: 1000, wantedBytes: 2_500_000 },
    });
    expect(diskFull("/lake", 5_000, 2_500, undefined).message).toBe(
      "The disk of /lake is full: 5.0 kB is free, more is wanted",
    );
  });

  test("with what is kept, where something was fetched", async () => {
    const full = () => Promise.reject(system("ENOSPC"));
    await expect(writingTo(dir, full)).rejects.toMatchObject({
      remedy: expect.stringMatching(/half written$/),
    });
    await expect(writingTo(dir, full, undefined, FETCHED_IS_KEPT)).rejects.toMatchObject({
      remedy: expect.stringMatching(/half written, and what was fetched is kept$/),
    });
  });

  test("even where nobody can say what is wanted", async () => {
    const unknown = async () => {
      throw new Error("no estimate");
    };
    const work = () => Promise.reject(system("ENOSPC"));
    await expect(writingTo(dir, work, unknown)).rejects.toMatchObject({ code: "disk_full" });
  });
});

describe("what may not be written is named", () => {
  test.each(["EROFS", "EACCES", "EPERM"])("%s", async (code) => {
    await expect(failing(system(code, join(dir, "a")))).rejects.toMatchObject({
      name: "DiskError",
      code: "not_writable",
      value: join(dir, "a"),
      remedy: expect.stringContaining(dir),
    });
  });

  test("as a folder that cannot be made in what is there, not where something new would be", async () => {
    const made = (path: string) =>
      new UsageError("unwritable_folder", "no", { value: path, remedy: "", cause: system("EACCES", path) });
    const inside = join(dir, "removed");
    await expect(failing(made(inside))).rejects.toMatchObject({ code: "not_writable", value: inside });
    const place = made(dir);
    await expect(failing(place)).rejects.toBe(place);
  });

  test.each([
    ["the system", system("EFBIG")],
    ["a worker thread", new Error("EFBIG: file too large, write")],
    ["DuckDB", new DatabaseError("sql_failed", 'Could not write file "x": File too large', { remedy: "" })],
  ])("as a file that grows too large, as %s says it", async (_, error) => {
    await expect(failing(error)).rejects.toMatchObject({
      name: "DiskError",
      code: "file_too_large",
      value: dir,
      cause: error,
    });
  });

  test("by the system itself", async () => {
    if (process.getuid?.() === 0) return; // root may
    const folder = join(dir, "folder");
    await mkdir(folder);
    await chmod(folder, 0o500);
    await expect(writingTo(dir, () => mkdir(join(folder, "new")))).rejects.toMatchObject({
      code: "not_writable",
    });
  });
});

test.each([
  ["of the work", new LakeError("lake_busy", "No space left on device, says a record", { remedy: "" })],
  ["of another place", system("EACCES", "/elsewhere/a")],
  ["of another kind", system("ENOENT", "x")],
  ["of a reader of files", new TypeError("x")],
])("an error %s passes unchanged", async (_, error) => {
  await expect(failing(error)).rejects.toBe(error);
});

test("what is done is returned", async () => {
  expect(await writingTo(dir, async () => 7)).toBe(7);
  expect(DiskError.prototype).toBeInstanceOf(Error);
});
