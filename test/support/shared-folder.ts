import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Folder that lives as long as the run: {@link sharedFolder}. */
    sharedRoot: string;
  }
}

/** Makes the folder of what test files of a run share, and removes it after: vitest calls this once, before all files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = await mkdtemp(join(tmpdir(), "mirrorlake-shared-"));
  project.provide("sharedRoot", root);
  return () => rm(root, { recursive: true, force: true });
}

/**
 * The folder `name` under `root`, built by the first test file that asks for it: the others wait and read. No test writes to it;
 * a test that changes what is in it takes a copy. A build that fails fails in each file that asks.
 */
export async function sharedFolder(
  root: string,
  name: string,
  build: (dir: string) => Promise<unknown>,
): Promise<string> {
  const [made, making, failed] = [
    join(root, name),
    join(root, `${name}.making`),
    join(root, `${name}.failed`),
  ];
  try {
    await mkdir(making);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    while (!existsSync(made)) {
      if (existsSync(failed)) throw new Error(`${name} could not be built: see the file that built it`);
      await sleep(20);
    }
    return made;
  }
  try {
    const dir = join(making, "built");
    await mkdir(dir);
    await build(dir);
    await rename(dir, made);
    return made;
  } catch (error) {
    await writeFile(failed, "");
    throw error;
  }
}
