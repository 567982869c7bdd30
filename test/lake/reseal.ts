import { createHash } from "node:crypto";
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LEASE_FILE } from "../../src/lake/lake-paths.js";
import { manifestRoot } from "../../src/slice/read-slice-manifest.js";

type Manifest = {
  resources: { name: string; path: string; bytes: number; hash: string; rows: number }[];
  mirrorlake: Record<string, unknown> & { root: string };
  [key: string]: unknown;
};

/** Replaces a file of a slice, which is read-only. */
export async function overwrite(path: string, content: string | Uint8Array): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, content);
}

/** Edits a slice's manifest as a forger would: sizes, hashes and root are made right again afterwards. */
export async function reseal(dir: string, edit: (manifest: Manifest) => void = () => {}): Promise<void> {
  const path = join(dir, "datapackage.json");
  const manifest = JSON.parse(await readFile(path, "utf8")) as Manifest;
  for (const resource of manifest.resources) {
    const bytes = await readFile(join(dir, resource.path));
    resource.bytes = bytes.length;
    resource.hash = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  }
  edit(manifest);
  manifest.mirrorlake.root = manifestRoot(manifest);
  await overwrite(path, JSON.stringify(manifest));
}

/** Every file under a folder with a digest of its content; lock files, which nothing else may open, left out. */
export async function snapshot(dir: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const walk = async (path: string, name: string): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const child = join(path, entry.name);
      const childName = name === "" ? entry.name : `${name}/${entry.name}`;
      if (childName === "locks" || entry.name === LEASE_FILE) continue;
      if (entry.isDirectory()) await walk(child, childName);
      else
        files[childName] = createHash("sha256")
          .update(await readFile(child))
          .digest("hex");
    }
  };
  await walk(dir, "");
  return files;
}

/** Makes everything under a folder writable, so that it can be damaged. */
export async function makeWritable(dir: string): Promise<void> {
  for (const entry of await readdir(dir)) {
    const path = join(dir, entry);
    if ((await stat(path)).isFile()) await chmod(path, 0o644);
  }
}
