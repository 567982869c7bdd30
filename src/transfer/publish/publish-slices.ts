import { lstat, mkdir, readdir, rename } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { checkArgument, checkOptions, optionsSchema } from "../../contract/check-options.js";
import { LakeError, SliceError } from "../../contract/errors.js";
import { CallbackOption, PathOption, PathsOption, SignalOption } from "../../contract/option-schemas.js";
import { INDEX_FILE } from "../../contract/slice/slice-index.js";
import { MANIFEST_FILE, type SliceManifest } from "../../contract/slice/slice-manifest.js";
import { copyApart } from "../../files/copy-apart.js";
import { renameSynced, syncFolder, syncTree, writeFileSynced } from "../../files/durable-files.js";
import { makeFolder } from "../../files/make-folder.js";
import { makeTemporaryFolder, removeAbandonedFolders } from "../../files/temporary-folder.js";
import { writingTo } from "../../files/writing-to.js";
import { type FoundSlice, findSlices } from "../../lake/find-slices.js";
import { refuseInLake } from "../../lake/lake-slices.js";
import { sliceFolders } from "../../lake/slice-folders.js";
import { checkSlices } from "../../slice/check-slices.js";
import { readSliceManifest, type VerifyOptions, verifySlice } from "../../slice/verify-slice.js";
import { indexText } from "../../slice/write-slice-index.js";

const ROOT = /^[0-9a-f]{64}$/;

/** Progress of {@link publishSlices}, in bytes verified. */
export interface PublishProgress {
  readonly done: number;
  readonly total: number;
}

/** Options of {@link publishSlices}. */
export interface PublishOptions {
  /** Published folder; created if absent. It holds only what was published there. */
  readonly out: string;
  readonly onProgress?: (progress: PublishProgress) => void;
  readonly signal?: AbortSignal;
}

/** Result of a publish. */
export interface PublishReport {
  readonly out: string;
  readonly slices: readonly {
    readonly root: string;
    readonly name: string;
    /** `published` now, `present` already, `repaired`: a damaged copy was replaced. */
    readonly state: "published" | "present" | "repaired";
    /** Bytes of its files, without the manifest. */
    readonly bytes: number;
  }[];
  /** Totals of the folder's index. */
  readonly total: { readonly slices: number; readonly bytes: number };
}

const OPTIONS = optionsSchema<PublishOptions>(() => ({
  out: PathOption,
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));

/**
 * Publishes slices as a static folder that any file host serves: `index.json`, and a folder for each slice, named after its
 * root, with its manifest and files. Every slice is verified before it appears, and appears by one rename; publishing again
 * adds, repairs a slice whose published copy is damaged, and never touches what a pull may be reading. The files are copies: what
 * befalls them there befalls no lake. The order of publishing does not matter.
 * @param dirs slices, folders of slices, or lakes (the slices of their published generation)
 * @throws SliceError for a slice that is not what its manifest says; LakeError `slices_not_found`, `publish_foreign`,
 * `publish_damaged` where another slice in the folder is damaged;
 * UsageError `unwritable_folder`, `out_in_lake`
 */
export async function publishSlices(
  dirs: readonly string[],
  options: PublishOptions,
): Promise<PublishReport> {
  checkArgument(PathsOption, dirs, "dirs", "publishSlices");
  checkOptions(OPTIONS, options, "publishSlices");
  const at = { ...options, out: resolve(options.out) };
  const from = dirs.map((dir) => resolve(dir));
  await refuseInLake(at.out);
  const found = await findSlices(await sliceFolders(from));
  const bytes = found
    .flatMap(({ manifest }) => manifest.resources)
    .reduce((sum, file) => sum + file.bytes, 0);
  return writingTo(
    at.out,
    () => publishFound(found, at),
    async () => bytes,
  );
}

async function publishFound(found: readonly FoundSlice[], options: PublishOptions): Promise<PublishReport> {
  const { out } = options;
  await makeFolder(out);
  await refuseForeign(out);
  await removeAbandonedFolders(out);
  await refuseDamaged(out, new Set(found.map(({ manifest }) => manifest.mirrorlake.root)));
  const progress = progressOf(found, options);
  const states = new Map<FoundSlice, PublishReport["slices"][number]["state"]>();
  await checkSlices(found, async (slice, database) => {
    options.signal?.throwIfAborted();
    states.set(slice, await publishOne(slice, out, { ...progress, database }));
  });
  const slices = found.map((slice) => {
    const { name, resources, mirrorlake } = slice.manifest;
    const bytes = resources.reduce((sum, resource) => sum + resource.bytes, 0);
    return { root: mirrorlake.root, name, state: states.get(slice)!, bytes };
  });
  const listed = await writeIndex(out);
  const bytes = listed.reduce((sum, { resources }) => sum + resources.reduce((n, r) => n + r.bytes, 0), 0);
  return { out, slices, total: { slices: listed.length, bytes } };
}

async function publishOne(
  slice: FoundSlice,
  out: string,
  options: VerifyOptions,
): Promise<"published" | "present" | "repaired"> {
  const target = join(out, slice.manifest.mirrorlake.root);
  const existing = await verified(target, options);
  if (existing === "whole") return "present";
  const temporary = await makeTemporaryFolder(out);
  try {
    const staged = join(temporary.path, "slice");
    await mkdir(staged);
    for (const name of [MANIFEST_FILE, ...slice.manifest.resources.map(({ path }) => path)]) {
      await refuseLink(slice.dir, name);
      await copyApart(join(slice.dir, name), join(staged, name));
    }
    await verifySlice(staged, options);
    await syncTree(staged);
    const isPlaced = await place(staged, target, options);
    if (!isPlaced) return "present";
    return existing === "damaged" ? "repaired" : "published";
  } catch (error) {
    throw namingSource(error, slice.dir);
  } finally {
    await temporary.remove();
  }
}

/**
 * Puts a slice into the published folder, in the place of a damaged copy.
 * @returns false where another publish has put it there meanwhile
 */
async function place(staged: string, target: string, { signal, database }: VerifyOptions): Promise<boolean> {
  for (;;) {
    try {
      await rename(staged, target);
      break;
    } catch (error) {
      const there = await verified(target, { signal, database });
      if (there === "absent") throw error;
      if (there === "whole") return false;
    }
    await rename(target, `${staged}-damaged`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error; // another publish was faster
    });
  }
  await syncFolder(dirname(target));
  return true;
}

/** State of the slice in the published folder. */
async function verified(target: string, options: VerifyOptions): Promise<"absent" | "whole" | "damaged"> {
  try {
    await lstat(target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
    throw error;
  }
  try {
    const { mirrorlake } = await verifySlice(target, options);
    return mirrorlake.root === basename(target) ? "whole" : "damaged";
  } catch (error) {
    if (error instanceof SliceError) return "damaged";
    throw error;
  }
}

async function refuseLink(dir: string, name: string): Promise<void> {
  const path = join(dir, name);
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (stats?.isFile()) return;
  const [code, reason] =
    stats === undefined ? ["slice_file_missing", "is missing"] : ["slice_not_a_file", "is not a plain file"];
  throw new SliceError(code!, `Slice ${dir} is refused: ${name} ${reason}`, {
    value: path,
    remedy: "fetch or ingest the slice again; nothing was published of it",
  });
}

function namingSource(error: unknown, dir: string): unknown {
  if (!(error instanceof SliceError)) return error;
  const { code, message, remedy } = error;
  const named = message.startsWith("Slice slice ")
    ? message.replace("Slice slice ", `Slice ${dir} `)
    : message;
  return new SliceError(code, named, { value: dir, remedy, cause: error });
}

/**
 * Writes the index of all slices that stand in the folder, and looks again: of several that publish at once, the one that
 * writes last has then seen what the others brought.
 */
async function writeIndex(out: string): Promise<SliceManifest[]> {
  for (;;) {
    const names = await publishedRoots(out);
    const manifests: SliceManifest[] = [];
    for (const name of names) manifests.push(await readPublished(out, name));
    const temporary = await makeTemporaryFolder(out);
    try {
      await writeFileSynced(join(temporary.path, INDEX_FILE), indexText(manifests));
      await renameSynced(join(temporary.path, INDEX_FILE), join(out, INDEX_FILE));
    } finally {
      await temporary.remove();
    }
    const known = new Set(names);
    if ((await publishedRoots(out)).every((name) => known.has(name))) return manifests;
  }
}

/** Refuses a folder in which a slice stands that cannot be listed, before anything is placed, unless it is published again now. */
async function refuseDamaged(out: string, replaced: ReadonlySet<string>): Promise<void> {
  for (const root of await publishedRoots(out)) if (!replaced.has(root)) await readPublished(out, root);
}

/** @throws LakeError `publish_damaged` */
async function readPublished(out: string, root: string): Promise<SliceManifest> {
  const dir = join(out, root);
  const refuse = (reason: string, cause?: unknown) =>
    new LakeError("publish_damaged", `The published folder ${out} cannot be listed: ${reason}`, {
      value: dir,
      remedy: `publish slice ${root} into it again, which repairs it, or delete ${dir}`,
      cause,
    });
  try {
    const manifest = await readSliceManifest(dir);
    if (manifest.mirrorlake.root === root) return manifest;
  } catch (error) {
    if (!(error instanceof SliceError)) throw error;
    throw refuse(error.message, error);
  }
  throw refuse(`${root} holds another slice`);
}

async function publishedRoots(out: string): Promise<string[]> {
  return (await readdir(out)).filter((name) => ROOT.test(name));
}

/** Refuses a folder with foreign content before anything is written to it. */
async function refuseForeign(out: string): Promise<void> {
  const names = (await readdir(out)).filter((name) => !name.startsWith("."));
  if (names.length === 0 || names.includes(INDEX_FILE)) return;
  const other = names.find((name) => !ROOT.test(name));
  if (other === undefined) return;
  throw new LakeError("publish_foreign", `${out} is no published folder, but not empty: it holds ${other}`, {
    value: join(out, other),
    remedy: "name a new folder, or one that `mirrorlake publish` wrote",
  });
}

function progressOf(found: readonly FoundSlice[], { onProgress, signal }: PublishOptions): VerifyOptions {
  const total = found.reduce(
    (sum, { manifest }) => sum + manifest.resources.reduce((n, { bytes }) => n + bytes, 0),
    0,
  );
  let done = 0;
  return {
    signal,
    onBytes: (bytes) => {
      done += bytes;
      onProgress?.({ done, total });
    },
  };
}
