import { execFileSync } from "node:child_process";
import { chmod, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openAccount } from "../../src/account/open-account.js";
import { DatabaseError, LakeError, SearchError, UsageError } from "../../src/contract/errors.js";
import { unlessLacking } from "../../src/contract/lacking.js";
import type { SliceManifest, SliceResource } from "../../src/contract/slice/slice-manifest.js";
import type { Database } from "../../src/duckdb/database.js";
import { installSlices } from "../../src/lake/install/install-slices.js";
import { checkVectors } from "../../src/slice/check-vectors.js";
import { readTable } from "../../src/slice/checked-table.js";
import { QUICK, videos, write } from "../evolution/support.js";

const CHILD = fileURLToPath(new URL("./lacking-child.js", import.meta.url));

let dir: string;
let lake: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-lacking-"));
  lake = join(dir, "lake");
  await installSlices(await write(join(dir, "a"), videos(0, 5)), { lake, ...QUICK, embedder: undefined });
  await chmod(dir, 0o755);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const damaged = (cause: unknown) =>
  new LakeError("generation_invalid", "it is damaged", { value: "/lake", remedy: "rebuild", cause });
const system = (code: string) => Object.assign(new Error(`${code}: no`), { code, path: "/lake/file" });
const engine = (message: string) =>
  new DatabaseError("sql_failed", message, { value: "SELECT", remedy: "correct the statement" });

it.each([
  [system("EMFILE"), "too_many_open_files"],
  [damaged(system("ENFILE")), "too_many_open_files"],
  [new SearchError("index_unreadable", "no", { remedy: "rebuild", cause: system("EACCES") }), "not_readable"],
  [damaged(engine('IO Error: Cannot open file "/lake/corpus.db": Permission denied')), "not_readable"],
  [damaged(new RangeError("WebAssembly.Memory(): could not allocate memory")), "out_of_memory"],
  [
    damaged(new RangeError("WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory")),
    "out_of_memory",
  ],
  [damaged(new RangeError("Array buffer allocation failed")), "out_of_memory"],
  [engine("Out of Memory Error: failed to allocate"), "out_of_memory"],
  [system("ENAMETOOLONG"), "name_too_long"],
  [
    new LakeError("lake_settings_invalid", "no", { remedy: "…", cause: system("ENAMETOOLONG") }),
    "name_too_long",
  ],
])("%s is no damage", (error, code) => {
  const known = unlessLacking(error) as LakeError;
  expect(known).toBeInstanceOf(LakeError);
  expect(known).toMatchObject({ code, cause: error, remedy: expect.not.stringContaining("rebuild") });
});

it.each([
  damaged(new RangeError("Offset is outside the bounds of the DataView")),
  damaged(system("EIO")),
  engine("Conversion Error: Could not convert string 'permission denied' to INT32"),
  new UsageError("unwritable_folder", "no", { remedy: "…", cause: system("EACCES") }),
  new LakeError("account_not_writable", "no", { remedy: "…", cause: system("EACCES") }),
  "EMFILE",
])("%s is left as it is", (error) => {
  expect(unlessLacking(error)).toBe(error);
});

it("a slice that cannot be read for lack of files or memory is not corrupt", async () => {
  const resource = { path: "records.parquet" } as SliceResource;
  const reading = (error: Error) => readTable({ dir, resource }, () => Promise.reject(error));
  const open = 'IO Error: Cannot open file "records.parquet": Too many open files';
  await expect(reading(engine(open))).rejects.toMatchObject({ code: "too_many_open_files" });
  const memory = new DatabaseError("database_memory", "no", {
    remedy: "…",
    cause: new Error("Out of Memory"),
  });
  await expect(reading(memory)).rejects.toBe(memory);
  await expect(reading(engine("Invalid Input Error: No magic bytes"))).rejects.toMatchObject({
    code: "slice_corrupt",
  });
  const vectors = { path: `${"v".repeat(300)}.arrow` } as SliceResource;
  await expect(checkVectors({} as Database, dir, {} as SliceManifest, vectors)).rejects.toMatchObject({
    code: "name_too_long",
  });
});

/** What opening and diagnosing the lake say in a process of its own. */
function said(...args: readonly string[]): unknown {
  return JSON.parse(execFileSync(process.execPath, [CHILD, lake, ...args], { encoding: "utf8" }));
}

it("a process without file descriptors is told so, and the lake is found whole", { tags: "slow" }, () => {
  const lacking = { code: "too_many_open_files", remedy: expect.stringContaining("ulimit -n") };
  expect(said("descriptors")).toEqual({ opened: lacking, found: [lacking] });
});

it("an account that cannot be opened for lack of file descriptors is not called another user's", {
  tags: "slow",
}, async () => {
  const account = await openAccount(lake);
  await account.createKey({ scopes: ["search"] });
  await account.close();
  expect(said("account")).toMatchObject({ code: "too_many_open_files" });
});

it
  .skipIf(process.platform === "win32" || process.getuid?.() !== 0)
  .each(["mirrorlake.json", "CURRENT", "generations/1/search"])(
  "a user who may not read %s is told so",
  { tags: "slow" },
  async (name) => {
    const kept = join(dir, "kept");
    await cp(lake, kept, { recursive: true });
    await chmod(join(lake, name), 0o000);
    const lacking = { code: "not_readable", remedy: expect.stringContaining("owner") };
    expect(said("user")).toMatchObject({ opened: lacking, found: [lacking] });
    await chmod(join(lake, name), 0o755);
  },
);

it.skipIf(process.platform === "win32" || process.getuid?.() !== 0)(
  "a user who may not write to a lake gets no salt, and hears of no damage of its account",
  { tags: "slow" },
  async () => {
    const account = await openAccount(lake);
    await account.createKey({ scopes: ["search"] });
    await account.close();
    await chmod(join(lake, "account"), 0o755); // its file is its owner's alone
    expect(said("salt")).toEqual({
      salt: { code: "not_writable", remedy: expect.stringContaining("writable") },
      findings: [{ level: "note", code: "account_not_writable" }],
    });
  },
);
