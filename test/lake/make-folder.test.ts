import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UsageError } from "../../src/contract/errors.js";
import { describeDataset } from "../../src/dataset/describe-dataset.js";
import { makeFolder } from "../../src/files/make-folder.js";
import { StagedOutput } from "../../src/ingest/staged-output.js";
import { openOrCreate } from "../../src/lake/settings.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { publishSlices } from "../../src/transfer/publish/publish-slices.js";
import { capture } from "../cli/capture.js";
import { batches, INFO, makeItems } from "./items.js";

let dir: string;
let slices: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-make-folder-"));
  slices = join(dir, "slices");
  file = join(dir, "file");
  await writeFile(file, "mine");
  await writeSlices(batches(makeItems(0, 3)), { out: slices, info: INFO });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("makeFolder", () => {
  test("makes what is missing and says where that begins", async () => {
    expect(await makeFolder(join(dir, "a", "b", "c"))).toBe(join(dir, "a"));
    expect(await makeFolder(join(dir, "a", "b", "d"))).toBe(join(dir, "a", "b", "d"));
    expect(await makeFolder(join(dir, "a", "b"))).toBeUndefined();
    expect((await readdir(join(dir, "a", "b"))).toSorted()).toEqual(["c", "d"]);
  });

  test("takes relative paths, and links to folders", async () => {
    await mkdir(join(dir, "real"));
    await symlink(join(dir, "real"), join(dir, "link"));
    await makeFolder(relative(process.cwd(), join(dir, "link", "inside")));
    expect((await stat(join(dir, "real", "inside"))).isDirectory()).toBe(true);
  });

  test("may be called by many at once", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(dir, "x", "y", "z"))));
    expect(made.filter((path) => path === join(dir, "x"))).toHaveLength(1);
    expect((await stat(join(dir, "x", "y", "z"))).isDirectory()).toBe(true);
  });

  test("says what stands in the way", async () => {
    await symlink(join(dir, "nowhere"), join(dir, "dangling"));
    for (const at of [file, join(dir, "dangling")]) {
      const error = await refusal(makeFolder(at));
      expect(error.message).toBe(`Cannot make the folder ${at}: ${at} is not a folder`);
    }
    const long = join(dir, "never", "x".repeat(300));
    expect((await refusal(makeFolder(long))).value).toBe(long);
    expect(existsSync(dirname(long))).toBe(false);
  });
});

// In /proc the kernel answers that the parent of a new folder is missing, although it is there.
describe.each([
  ["nothing can be made", () => (existsSync("/proc/self") ? "/proc/mirrorlake" : join(file, "out"))],
  ["a file is in the way", () => join(file, "out")],
])("where %s", (_, place) => {
  test.each([
    ["makeFolder", (out: string) => makeFolder(out)],
    ["makeFolder, deeper", (out: string) => makeFolder(join(out, "deeper"))],
    ["publishing", (out: string) => publishSlices([slices], { out })],
    ["describing", (out: string) => describeDataset([slices], { out, pii: false })],
    ["writing slices", (out: string) => writeSlices(batches(makeItems(0, 3)), { out, info: INFO })],
    ["ingesting", (out: string) => StagedOutput.begin(out, false)],
    ["ingesting, deeper", (out: string) => StagedOutput.begin(join(out, "deeper"), false)],
  ])("%s ends with an error that names the folder and the way out", async (_, work) => {
    const error = await refusal(work(place()));
    expect(error.message).toMatch(/^Cannot make the folder /);
    expect(error.message).toContain(dirname(place()));
    expect([dirname(place()), place(), join(place(), "deeper")]).toContain(error.value);
    expect(error.remedy).toContain("a folder that can be written");
  });

  test("no lake is made", async () => {
    const code =
      existsSync("/proc/self") && place().startsWith("/proc") ? "unwritable_folder" : "lake_foreign";
    await expect(openOrCreate(place())).rejects.toMatchObject({ code });
  });

  test("the commands end with the code of wrong usage", async () => {
    for (const args of [
      ["publish", slices, "--out", place()],
      ["demo", "--lake", place()],
    ]) {
      const { code, out } = await capture([...args, "--json"]);
      expect(JSON.parse(out)).toMatchObject({ error: { code: "unwritable_folder" } });
      expect(code).toBe(2);
    }
  });
});

async function refusal(work: Promise<unknown>): Promise<UsageError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).code).toBe("unwritable_folder");
  return error as UsageError;
}
