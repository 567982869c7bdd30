import { readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PullError, SliceError } from "../../contract/errors.js";
import { MANIFEST_FILE, type SliceManifest } from "../../contract/slice/slice-manifest.js";
import { syncTree } from "../../files/durable-files.js";
import { makeFolder } from "../../files/make-folder.js";
import { readSliceManifest } from "../../slice/verify-slice.js";
import type { SliceSource, SourceFile } from "../source/slice-source.js";
import { PULL_DEFAULTS } from "./defaults.js";
import { PARTIAL_SUFFIX } from "./partial-file.js";
import { runPool } from "./run-pool.js";
import { TransferMeter, type TransferProgress } from "./transfer-meter.js";

/** Options of {@link fetchSlices}. */
export interface FetchOptions {
  /** Folder for incoming slices, one folder each. */
  readonly incoming: string;
  /** Files fetched at a time. */
  readonly concurrency: number;
  readonly now: () => number;
  /** Aborts the source's work after another failure. */
  readonly abort: (reason: unknown) => void;
  /** Called with the number of bytes to fetch, before the first file. */
  readonly beforeFiles: (toCome: number) => Promise<void>;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** Result of {@link fetchSlices}. */
export interface FetchedSlices {
  /** Their folders, in the order of the roots. */
  readonly dirs: readonly string[];
  /** File bytes received over the network, including discarded ones. */
  readonly bytesFetched: number;
}

/**
 * Fetches slices: the manifests, each proved by its root, then the files, each proved by its manifest. What an earlier run
 * left in the folder is used.
 * @throws PullError, SliceError; what has come stays for the next run
 */
export async function fetchSlices(
  source: SliceSource,
  roots: readonly string[],
  options: FetchOptions,
): Promise<FetchedSlices> {
  const { incoming, concurrency, abort } = options;
  const manifests = new Map<string, SliceManifest>();
  await runPool(
    roots,
    concurrency,
    async (root) => {
      manifests.set(root, await fetchManifest(source, root, join(incoming, root)));
    },
    abort,
  );
  const files = roots.flatMap((root) => filesOf(manifests.get(root)!));
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let there = 0;
  for (const file of files)
    there += Math.min(file.bytes, await bytesThere(join(incoming, file.root, file.path)));
  await options.beforeFiles(total - there);
  const meter = new TransferMeter(total, files.length, options.now, options.onProgress);
  await runPool(
    files,
    concurrency,
    async (file) => {
      await source.file(file, join(incoming, file.root, file.path), meter);
      meter.fileDone();
    },
    abort,
  );
  for (const root of roots) {
    const dir = join(incoming, root);
    await removeStrange(dir, manifests.get(root)!, [""]);
    await syncTree(dir);
  }
  return { dirs: roots.map((root) => join(incoming, root)), bytesFetched: meter.bytesFetched };
}

function filesOf({ resources, mirrorlake: { root } }: SliceManifest): SourceFile[] {
  return resources.map(({ path, bytes, hash }) => ({
    root,
    path,
    bytes,
    sha256: hash.slice("sha256:".length),
    label: `${root.slice(0, 12)}/${path}`,
  }));
}

async function fetchManifest(source: SliceSource, root: string, dir: string): Promise<SliceManifest> {
  await makeFolder(dir);
  const manifest = (await kept(dir, root)) ?? (await fetched(source, root, dir));
  await removeStrange(dir, manifest);
  return manifest;
}

/** The manifest left by an earlier run, if it matches the root. */
async function kept(dir: string, root: string): Promise<SliceManifest | undefined> {
  try {
    const manifest = await readSliceManifest(dir);
    return manifest.mirrorlake.root === root ? manifest : undefined;
  } catch (error) {
    if (error instanceof SliceError) return undefined;
    throw error;
  }
}

/** Fetches a manifest, again if it does not match. */
async function fetched(source: SliceSource, root: string, dir: string): Promise<SliceManifest> {
  for (let restarts = 0; ; restarts++) {
    const bytes = await source.manifest(root);
    const temporary = join(dir, `${MANIFEST_FILE}${PARTIAL_SUFFIX}`);
    await writeFile(temporary, bytes);
    await rename(temporary, join(dir, MANIFEST_FILE));
    try {
      const manifest = await readSliceManifest(dir);
      if (manifest.mirrorlake.root === root) return manifest;
      throw new PullError(
        "manifest_mismatch",
        `${source.name} gives the manifest of ${manifest.mirrorlake.root.slice(0, 12)} for ${root.slice(0, 12)}`,
        { value: root, remedy: "do not trust the source, or pull from another copy" },
      );
    } catch (error) {
      await rm(join(dir, MANIFEST_FILE), { force: true });
      if (restarts >= PULL_DEFAULTS.restarts) throw error;
    }
  }
}

/** Suffixes of a file during its download. */
const ON_ITS_WAY = ["", PARTIAL_SUFFIX, `${PARTIAL_SUFFIX}.json`] as const;

/** Removes files that are not part of the slice; a killed process may have left them. */
async function removeStrange(
  dir: string,
  { resources }: SliceManifest,
  suffixes: readonly string[] = ON_ITS_WAY,
): Promise<void> {
  const own = new Set([
    MANIFEST_FILE,
    ...resources.flatMap(({ path }) => suffixes.map((suffix) => `${path}${suffix}`)),
  ]);
  for (const name of await readdir(dir))
    if (!own.has(name)) await rm(join(dir, name), { recursive: true, force: true });
}

async function bytesThere(path: string): Promise<number> {
  for (const name of [path, `${path}${PARTIAL_SUFFIX}`]) {
    try {
      return (await stat(name)).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return 0;
}
