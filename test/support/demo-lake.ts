import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";
import { sharedFolder } from "./shared-folder.js";

const run = promisify(execFile);
const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** What a command wrote. */
export interface Written {
  readonly out: string;
  readonly err: string;
}

/** Runs the built command line in a process of its own. */
export async function mirrorlake(
  args: readonly string[],
  { cwd, nodeOptions = [] }: { readonly cwd: string; readonly nodeOptions?: readonly string[] },
): Promise<Written> {
  if (!existsSync(CLI)) throw new Error("build first: npm run compile");
  const { stdout, stderr } = await run(process.execPath, [...nodeOptions, CLI, ...args], {
    cwd,
    maxBuffer: 64 * 2 ** 20,
    env: { ...process.env, NO_COLOR: "1", MIRRORLAKE_LAKE: undefined },
  });
  return { out: stdout, err: stderr };
}

/** What `mirrorlake demo` did in an empty folder, once a run of the tests. */
export interface Demo extends Written {
  /** The folder. No test writes to it. */
  readonly folder: string;
  /** The lake in it. */
  readonly lake: string;
}

/** Runs `mirrorlake demo` unless a test file of this run has. */
export async function demo(): Promise<Demo> {
  const shared = await sharedFolder(inject("sharedRoot"), "demo", async (dir) => {
    await writeFile(join(dir, "written.json"), JSON.stringify(await mirrorlake(["demo"], { cwd: dir })));
  });
  const written = JSON.parse(await readFile(join(shared, "written.json"), "utf8")) as Written;
  return { ...written, folder: shared, lake: join(shared, ".mirrorlake", "demo") };
}
