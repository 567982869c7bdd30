import { readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { checkArgument } from "../../contract/check-options.js";
import { LakeError } from "../../contract/errors.js";
import { LOCK_FORMAT_VERSION, type LockedSlice, LockFile } from "../../contract/lake/lock-file.js";
import { objectOption, PathOption } from "../../contract/option-schemas.js";
import { firstRule } from "../../contract/rule-text.js";
import { makeFolder } from "../../files/make-folder.js";
import { replaceOutput } from "../../files/replace-output.js";
import { writingTo } from "../../files/writing-to.js";
import { damagedSlices, isLake, lakeSlices } from "../../lake/lake-slices.js";
import { readSettings } from "../../lake/settings.js";
import { indexEntry } from "../../slice/write-slice-index.js";
import { isAddress } from "./open-source.js";

/** Differences between a lake and a lock file. */
export interface LockDrift {
  /** Whether there is a lake, and it holds exactly the slices of the lock file. */
  readonly inSync: boolean;
  /** Whether there is no lake at the path: every pinned slice is then missing. */
  readonly noLake: boolean;
  /** Pinned, and not in the lake, or not whole there. */
  readonly missing: readonly LockedSlice[];
  /** In the lake, and not pinned. */
  readonly extra: readonly Pick<LockedSlice, "root" | "name" | "bytes">[];
}

/**
 * Reads a lock file.
 * @throws LakeError `lock_not_found`, `lock_invalid`, `lock_newer_format`
 */
export async function readLockFile(path: string): Promise<LockFile> {
  checkArgument(PathOption, path, "path", "readLockFile");
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    if (!["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? ""))
      throw invalid(path, (cause as Error).message, cause);
    throw new LakeError("lock_not_found", `There is no lock file at ${path}`, {
      value: path,
      remedy: "`mirrorlake pull` writes one; `mirrorlake sync --write` writes that of a lake as it is",
      cause,
    });
  }
  const version = (json as { formatVersion?: unknown } | null)?.formatVersion;
  if (typeof version === "number" && version > LOCK_FORMAT_VERSION) {
    throw new LakeError(
      "lock_newer_format",
      `${path} has format version ${version}, this library reads up to ${LOCK_FORMAT_VERSION}`,
      { value: version, remedy: "update mirrorlake" },
    );
  }
  const parsed = LockFile.safeParse(json);
  if (!parsed.success) {
    throw invalid(path, firstRule(parsed.error, "the file"), parsed.error);
  }
  const roots = parsed.data.slices.map(({ root }) => root);
  if (new Set(roots).size < roots.length) throw invalid(path, "it pins a slice twice");
  return parsed.data;
}

const SourcesOption = objectOption<ReadonlyMap<string, string>>(["get"], "a Map of sources by root");

/**
 * Writes the lock file of a lake as it is: its slices, in the order of their names, each with where it came from. What the
 * file said of that before is kept for the slices that `sources` says nothing of. A missing folder of the file is made; a link to the
 * file stays, and so do its permissions.
 * @param sources address or absolute path by root
 * @returns what it now pins
 * @throws LakeError `lake_not_found` where there is no lake; DiskError `disk_full`; UsageError `unwritable_folder`, `unwritable_file`; what
 * {@link readLockFile} throws, but for an absent file
 */
export async function writeLockFile(
  path: string,
  lake: string,
  sources: ReadonlyMap<string, string> = new Map(),
): Promise<LockFile> {
  checkArgument(PathOption, path, "path", "writeLockFile");
  checkArgument(PathOption, lake, "lake", "writeLockFile");
  checkArgument(SourcesOption, sources, "sources", "writeLockFile");
  await readSettings(lake);
  const before = await readLockFile(path).catch((error: unknown) => {
    if (error instanceof LakeError && error.code === "lock_not_found") return undefined;
    throw error;
  });
  const known = new Map((before?.slices ?? []).map(({ root, source }) => [root, source]));
  const slices = (await lakeSlices(lake))
    .map(indexEntry)
    .map(({ root, name, bytes }) => {
      const source = sources.get(root);
      return {
        root,
        name,
        bytes,
        source: source === undefined ? (known.get(root) ?? null) : toLock(path, source),
      };
    })
    .toSorted((a, b) => (a.name === b.name ? compare(a.root, b.root) : compare(a.name, b.name)));
  const lock: LockFile = { formatVersion: LOCK_FORMAT_VERSION, slices };
  const text = `${JSON.stringify(lock, null, 2)}\n`;
  const folder = dirname(resolve(path));
  await makeFolder(folder);
  await writingTo(folder, () => replaceOutput(path, (temporary) => writeFile(temporary, text)));
  return lock;
}

/** Compares a lake with a lock file. A missing lake holds nothing, and is in sync with no lock file. */
export async function compareWithLock(lake: string, lock: LockFile): Promise<LockDrift> {
  const noLake = !(await isLake(lake));
  const manifests = await lakeSlices(lake);
  const held = manifests.map(indexEntry);
  const pinned = new Set(lock.slices.map(({ root }) => root));
  const there = new Set(held.map(({ root }) => root));
  for (const root of await damagedSlices(lake, manifests, pinned)) there.delete(root);
  const missing = lock.slices.filter(({ root }) => !there.has(root));
  const extra = held
    .filter(({ root }) => !pinned.has(root))
    .map(({ root, name, bytes }) => ({ root, name, bytes }));
  return { inSync: !noLake && missing.length + extra.length === 0, noLake, missing, extra };
}

/** A source in the lock file's form: paths relative to the file, so that both can move together. */
function toLock(file: string, source: string): string {
  if (isAddress(source)) return source;
  const path = relative(dirname(resolve(file)), source);
  if (isAbsolute(path)) return path;
  const portable = path.split(sep).join("/");
  return portable.startsWith("../") ? portable : `./${portable}`;
}

/** Resolves a lock file's source relative to the file. */
export function fromLock(file: string, source: string): string {
  return isAddress(source) ? source : resolve(dirname(resolve(file)), source);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function invalid(path: string, reason: string, cause?: unknown): LakeError {
  return new LakeError("lock_invalid", `${path} is no lock file: ${reason}`, {
    value: path,
    remedy: "take it from where it was committed, or rewrite it: mirrorlake sync --write",
    cause,
  });
}
