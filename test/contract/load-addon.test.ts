import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadAddon } from "../../src/contract/load-addon.js";
import { copySampleLake } from "../support/sample-lake.js";

const ROOT = join(import.meta.dirname, "../..");

let dir: string;
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "mirrorlake-addon-")));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test("a package that is absent, or of another system, is said to be, and other errors stay", async () => {
  const file = join(dir, "other.node");
  await writeFile(file, "no code of this system");
  const loads = [() => import("mirrorlake-no-such-package" as string), async () => createRequire(dir)(file)];
  for (const load of loads)
    await expect(loadAddon("SQLite", load)).rejects.toMatchObject({
      name: "UsageError",
      code: "addon_missing",
      message: expect.stringMatching(/^SQLite cannot be loaded on \w+-\w+: .+$/),
      remedy: expect.stringContaining("--include=optional"),
    });
  const other = new Error("other");
  await expect(loadAddon("SQLite", () => Promise.reject(other))).rejects.toBe(other);
});

/** An installation without the native code of some packages, as `npm install --omit=optional` makes it. */
async function installWithout(packages: readonly string[]): Promise<string> {
  const at = await mkdtemp(join(dir, "app-"));
  const [from, to] = [join(ROOT, "node_modules"), join(at, "node_modules")];
  await mkdir(to);
  await cp(join(ROOT, "dist"), join(at, "dist"), { recursive: true });
  await cp(join(ROOT, "package.json"), join(at, "package.json"));
  const isNative = (path: string) => /\/[a-z-]+-(?:x64|arm64)(?:-\w+)?$/.test(path);
  for (const name of await readdir(from)) {
    if (!packages.includes(name)) await symlink(join(from, name), join(to, name));
    // What loads native code is copied, so that it looks for it here.
    else await cp(join(from, name), join(to, name), { recursive: true, filter: (path) => !isNative(path) });
  }
  return at;
}

test.skipIf(process.platform === "win32").each([
  ["SQLite", ["libsql", "@libsql"]],
  ["DuckDB", ["@duckdb"]],
] as const)("commands say that %s is not installed, and blame no lake", async (name, packages) => {
  const main = join(await installWithout(packages), "dist/cli/main.js");
  const lake = await copySampleLake(await mkdtemp(join(dir, "lake-")));
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [main, ...args, "--lake", lake, "--json"], { cwd: dir }).then(
      ({ stdout }) => JSON.parse(stdout),
      ({ stdout }: { stdout: string }) => JSON.parse(stdout),
    );
  const missing = { code: "addon_missing", message: expect.stringMatching(`^${name} cannot be loaded on `) };
  expect(await run("sql", "SELECT 1")).toMatchObject({ error: missing });
  const { findings } = await run("doctor");
  const errors = findings.filter(({ level }: { level: string }) => level === "error");
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors)
    expect(error).toMatchObject({ ...missing, remedy: expect.stringContaining("--include=optional") });
  const demo = await run("demo", "--lake", join(dir, `demo-${name}`));
  expect(demo).toMatchObject({ error: missing });
});
