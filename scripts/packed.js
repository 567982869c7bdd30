// The packed package, which several tasks try: made once of the same files. It lies in node_modules, as what a build remembers does.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { filesDigest } from "./build-state.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = join(ROOT, "node_modules/.mirrorlake-packed");
const NAME = "package.tgz";

/** Packs the package as it is built, unless that has been done with the files that there are; the path of the archive. */
export async function packed() {
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const digest = filesDigest(["package.json", ...files]);
  const made = join(FOLDER, digest, NAME);
  if (existsSync(made)) return made;
  await mkdir(FOLDER, { recursive: true });
  // Another task may pack at the same time.
  const making = await mkdtemp(join(FOLDER, "making-"));
  try {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", making];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: ROOT });
    await mkdir(join(FOLDER, digest), { recursive: true });
    await rename(join(making, JSON.parse(stdout)[0].filename), made);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  for (const other of await readdir(FOLDER))
    if (other !== digest && !other.startsWith("making-"))
      await rm(join(FOLDER, other), { recursive: true, force: true });
  return made;
}
