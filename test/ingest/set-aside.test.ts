import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLockFile } from "../../src/files/process-lock.js";
import { asideOf, replacementPrefix } from "../../src/files/set-aside.js";
import { makeTemporaryFolder } from "../../src/files/temporary-folder.js";
import { StagedOutput } from "../../src/ingest/staged-output.js";
import { findSlices } from "../../src/lake/find-slices.js";
import { writeSlices } from "../../src/staging/write-slices.js";
import { batches, INFO, makeItems } from "../lake/items.js";

let dir: string;
let out: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-aside-"));
  out = join(dir, "out");
  await writeSlices(batches(makeItems(0, 3)), { out, info: INFO });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** What a process leaves that is killed between the two renames that replace an output. */
async function killedBetween(): Promise<void> {
  const temporary = join(dir, `${replacementPrefix(out)}${"0".repeat(16)}`);
  await writeSlices(batches(makeItems(5, 3)), { out: temporary, info: INFO });
  await createLockFile(`${temporary}.lock`);
  await rename(out, asideOf(temporary));
}

test("an output that a killed process set aside has its name again when it is looked for", async () => {
  const before = await findSlices([out]);
  await killedBetween();
  expect(await findSlices([out])).toEqual(before);
  expect(await readdir(dir)).toContain("out");
});

test("so it has for the next run, which then removes what was left", async () => {
  await killedBetween();
  await expect(StagedOutput.begin(out, false)).rejects.toMatchObject({ code: "out_not_empty" });
  await (await StagedOutput.begin(out, true)).discard();
  expect(await readdir(dir)).toEqual(["out"]);
});

test("an output that a living process replaces is left alone", async () => {
  const temporary = await makeTemporaryFolder(dir, replacementPrefix(out));
  await rename(out, asideOf(temporary.path));
  await expect(findSlices([out])).rejects.toMatchObject({ code: "slices_not_found" });
  await rename(asideOf(temporary.path), out);
  await temporary.remove();
});
