import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StagedOutput } from "../../src/ingest/staged-output.js";

/** A user without rights, for whom a folder that may not be read cannot be synced; root may read all. */
const NOBODY = 65_534;
const SLICE = "a".repeat(64);

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-staged-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Does work as an owner of the folder for whom the rights of files count. */
async function withoutPrivilege(work: () => Promise<void>): Promise<void> {
  const user = process.geteuid!();
  if (user !== 0) return work();
  for (const path of [dir, ...(await readdir(dir, { recursive: true })).map((name) => join(dir, name))])
    await chown(path, NOBODY, NOBODY);
  process.seteuid!(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid!(user);
  }
}

async function staged(replace: boolean): Promise<StagedOutput> {
  const output = await StagedOutput.begin(join(dir, "out"), replace);
  await mkdir(join(output.dir, SLICE));
  await writeFile(join(output.dir, SLICE, "what"), "new");
  return output;
}

test.skipIf(process.platform === "win32").each([true, false])(
  "a failure after the rename leaves what was there, and says why (an earlier output: %s)",
  async (isThere) => {
    if (isThere) {
      await mkdir(join(dir, "out", SLICE), { recursive: true });
      await writeFile(join(dir, "out", SLICE, "what"), "old");
    }
    await withoutPrivilege(async () => {
      const output = await staged(true);
      // What may be changed and not read can be renamed, and not synced.
      await chmod(dir, 0o300);
      await expect(output.publish()).rejects.toMatchObject({ code: "EACCES", path: dir });
      await chmod(dir, 0o700);
      await output.discard();
    });
    expect(await readdir(dir)).toEqual(isThere ? ["out"] : []);
    if (isThere) expect(await readFile(join(dir, "out", SLICE, "what"), "utf8")).toBe("old");
  },
);

test("replaces an earlier output", async () => {
  await mkdir(join(dir, "out", SLICE), { recursive: true });
  await (await staged(true)).publish();
  expect(await readdir(dir)).toEqual(["out"]);
  expect(await readFile(join(dir, "out", SLICE, "what"), "utf8")).toBe("new");
});

test("a run that refuses removes the lock of one that was killed when its output was in place", async () => {
  await mkdir(join(dir, "out", SLICE), { recursive: true });
  const killed = await StagedOutput.begin(join(dir, "other"), false);
  await cp(killed.own[2]!, join(dir, ".out.partial-0123456789abcdef.lock"));
  await killed.discard();
  await expect(StagedOutput.begin(join(dir, "out"), false)).rejects.toMatchObject({ code: "out_not_empty" });
  expect(await readdir(dir)).toEqual(["out"]);
});

test("a lake's own folder of slices is no output, by whatever name", async () => {
  const slices = join(dir, "lake", "slices");
  await mkdir(join(slices, SLICE), { recursive: true });
  await writeFile(join(dir, "lake", "mirrorlake.json"), "{}");
  await symlink(slices, join(dir, "link"));
  for (const out of [slices, join(slices, "new"), join(dir, "link"), join(dir, "link", "a", "b")])
    await expect(StagedOutput.begin(out, true)).rejects.toMatchObject({ code: "out_in_lake", value: out });
  expect((await readdir(dir)).toSorted()).toEqual(["lake", "link"]);
  expect(await readdir(slices)).toEqual([SLICE]);
});
