import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLockFile } from "../../src/files/process-lock.js";
import { makeSystemFolder } from "../../src/files/system-folder.js";

const MODULE = fileURLToPath(new URL("../../build/files/system-folder.js", import.meta.url));

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-system-"));
  vi.stubEnv("TMPDIR", dir);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

/** A folder with its lock, as a process leaves them that ended at once. */
async function abandoned(name: string): Promise<string> {
  const path = join(dir, name);
  await createLockFile(`${path}.lock`);
  await mkdir(path);
  await writeFile(join(path, "model"), "x");
  return path;
}

test("is in the temporary directory of the system, and goes with its lock", async () => {
  const folder = await makeSystemFolder("model");
  expect(folder.path).toMatch(/\/mirrorlake-model-[0-9a-f]{16}$/);
  expect((await readdir(dir)).sort()).toEqual([basename(folder.path), `${basename(folder.path)}.lock`]);
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  await folder.remove();
  expect(await readdir(dir)).toEqual([]);
});

test("takes away those of its kind whose process has ended, and no others", async () => {
  const living = await makeSystemFolder("model");
  await abandoned("mirrorlake-model-0123456789abcdef");
  const others = [
    "mirrorlake-load-0123456789abcdef",
    // Of a process that locks nothing.
    "mirrorlake-model-Ab3dE9",
    "mirrorlake-model-fedcba9876543210",
  ];
  await abandoned(others[0]!);
  for (const name of others.slice(1)) await mkdir(join(dir, name));
  const folder = await makeSystemFolder("model");
  const kept = [living, folder].flatMap(({ path }) => [basename(path), `${basename(path)}.lock`]);
  expect((await readdir(dir)).sort()).toEqual([...kept, ...others, `${others[0]}.lock`].sort());
  await living.remove();
  await folder.remove();
});

test("takes away what a process left that was killed, not before", async () => {
  const make = `(await import(${JSON.stringify(MODULE)})).makeSystemFolder("model").then(({ path }) => console.log(path)); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", make], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const left = basename(String(said).trim());
  await (await makeSystemFolder("model")).remove();
  expect((await readdir(dir)).sort()).toEqual([left, `${left}.lock`]);
  child.kill("SIGKILL");
  await once(child, "exit");
  await (await makeSystemFolder("model")).remove();
  expect(await readdir(dir)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  "leaves what is of another user, whose right to it is not known",
  async () => {
    const path = await abandoned("mirrorlake-model-0123456789abcdef");
    for (const each of [path, `${path}.lock`]) await chown(each, 12_345, 12_345);
    const target = await mkdtemp(join(dir, "target-"));
    await symlink(target, join(dir, "mirrorlake-model-1123456789abcdef"));
    await (await makeSystemFolder("model")).remove();
    expect(await readdir(dir)).toHaveLength(4);
  },
);
