import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { firstFault } from "../contract/rule-text.js";
import {
  MANIFEST_FILE,
  SLICE_FORMAT_VERSION,
  SliceFileName,
  SliceManifest,
  type SliceResource,
} from "../contract/slice/slice-manifest.js";
import type { Database } from "../duckdb/database.js";
import { hashFile } from "../files/durable-files.js";
import { checkContent } from "./check-content.js";
import { checkSlices } from "./check-slices.js";
import { jsonFault } from "./json-fault.js";
import { manifestRoot, SLICE_FILES } from "./read-slice-manifest.js";
import { refuseSlice } from "./refuse-slice.js";

const MANIFEST_BYTES = 4 * 1024 * 1024;
const SHOWN_FIELD = 120;

/** Options of {@link verifySlice}. */
export interface VerifyOptions {
  /** Database for checking many slices ({@link withCheckDatabase}). Default: one opened for this slice. */
  readonly database?: Database;
  readonly signal?: AbortSignal;
  /** Called with the size in bytes of each chunk checked. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Reads and checks the manifest of a slice: format version, shape, file names, root hash. The files are not read.
 * @throws SliceError `slice_foreign`, `slice_newer_format`, `slice_unsafe_path`, `slice_manifest_invalid`, `slice_root_mismatch`
 */
export async function readSliceManifest(dir: string): Promise<SliceManifest> {
  const json = await readManifestJson(dir);
  const facts = (json as { mirrorlake?: { formatVersion?: unknown } } | null)?.mirrorlake;
  if (typeof facts?.formatVersion !== "number") {
    refuseSlice("slice_foreign", dir, `its ${MANIFEST_FILE} is not that of a Mirrorlake slice`, {
      remedy: "make slices of other data with `mirrorlake ingest`",
    });
  }
  if (facts.formatVersion > SLICE_FORMAT_VERSION) {
    refuseSlice(
      "slice_newer_format",
      dir,
      `its format version is ${facts.formatVersion}, this library reads up to ${SLICE_FORMAT_VERSION}`,
      { value: facts.formatVersion, remedy: "update mirrorlake" },
    );
  }
  refuseUnsafePaths(dir, json);
  const fault = jsonFault(json);
  if (fault !== undefined) {
    const field = fault.field.slice(0, SHOWN_FIELD);
    refuseSlice("slice_manifest_invalid", dir, `${field} in ${MANIFEST_FILE} ${fault.rule}`, {
      value: field,
    });
  }
  const parsed = SliceManifest.safeParse(json);
  if (!parsed.success) {
    const { path, words } = firstFault(parsed.error);
    const where = path.join(".") || "the manifest";
    refuseSlice("slice_manifest_invalid", dir, `${where} in ${MANIFEST_FILE}: ${words}`, {
      value: where,
    });
  }
  const manifest = parsed.data;
  const names = manifest.resources.map(({ name }) => name);
  if (new Set(names).size !== names.length) {
    refuseSlice("slice_manifest_invalid", dir, `${MANIFEST_FILE} names a file twice`, { value: names });
  }
  for (const { name, path } of manifest.resources) {
    if (path !== SLICE_FILES[name].path) {
      refuseSlice(
        "slice_manifest_invalid",
        dir,
        `the file of ${name} is ${path}, not ${SLICE_FILES[name].path}`,
        {
          value: path,
        },
      );
    }
  }
  const root = manifestRoot(json as { mirrorlake: object });
  if (root !== manifest.mirrorlake.root) {
    refuseSlice(
      "slice_root_mismatch",
      dir,
      `its root hash is ${root}, the manifest says ${manifest.mirrorlake.root}`,
      {
        value: manifest.mirrorlake.root,
      },
    );
  }
  return manifest;
}

/**
 * Checks every byte of a slice: its manifest ({@link readSliceManifest}), that the folder has exactly the files it names, each
 * file's size and SHA-256, rows, columns, keys, and that records, raw items and vectors agree with the manifest and each other.
 * @throws SliceError with the slice, the reason and the remedy; `value` is the offending file or value
 */
export async function verifySlice(dir: string, options: VerifyOptions = {}): Promise<SliceManifest> {
  const manifest = await readSliceManifest(dir);
  await checkEntries(dir, manifest);
  for (const resource of manifest.resources) await checkBytes(dir, resource, options);
  await checkContent(dir, manifest, { database: options.database });
  return manifest;
}

/**
 * Checks that the files of a slice are there with the sizes that its manifest gives. Of the files it reads the manifest alone, so it takes
 * milliseconds.
 * @throws SliceError as {@link verifySlice}, but for other files in the folder and for what only the bytes show
 */
export async function checkSliceFiles(dir: string): Promise<SliceManifest> {
  const manifest = await readSliceManifest(dir);
  for (const resource of manifest.resources) await checkSize(dir, resource);
  return manifest;
}

/**
 * Checks that the records and raw items of a slice are the bytes that its manifest names: of a slice that was verified before, all that
 * damage can have done to them.
 * @throws SliceError as {@link checkSliceFiles}; `slice_corrupt`
 */
export async function checkSliceItems(dir: string, options: VerifyOptions = {}): Promise<SliceManifest> {
  const manifest = await readSliceManifest(dir);
  for (const resource of manifest.resources)
    if (resource.name !== "vectors") await checkBytes(dir, resource, options);
  return manifest;
}

/** Runs {@link verifySlice} on several slices, a few at a time. @throws SliceError for the first invalid one, in their order */
export async function verifySlices(
  dirs: readonly string[],
  options: Omit<VerifyOptions, "database"> = {},
): Promise<void> {
  await checkSlices(dirs, async (dir, database) => {
    options.signal?.throwIfAborted();
    await verifySlice(dir, { ...options, database });
  });
}

async function readManifestJson(dir: string): Promise<unknown> {
  const path = join(dir, MANIFEST_FILE);
  const stats = await lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT" && cause.code !== "ENOTDIR") throw cause;
    return refuseSlice("slice_foreign", dir, `it has no ${MANIFEST_FILE}`, {
      remedy: "name a slice folder, or a folder of slices that `mirrorlake ingest` wrote",
      cause,
    });
  });
  if (!stats.isFile() || stats.size > MANIFEST_BYTES) {
    refuseSlice(
      "slice_manifest_invalid",
      dir,
      `${MANIFEST_FILE} is not a file of at most ${MANIFEST_BYTES} bytes`,
    );
  }
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    return refuseSlice(
      "slice_manifest_invalid",
      dir,
      `${MANIFEST_FILE} is not JSON: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  }
}

function refuseUnsafePaths(dir: string, json: unknown): void {
  const { resources } = json as { resources?: unknown };
  if (!Array.isArray(resources)) return;
  for (const resource of resources as { path?: unknown }[]) {
    const path = resource?.path;
    if (typeof path !== "string" || SliceFileName.safeParse(path).success) continue;
    refuseSlice("slice_unsafe_path", dir, `its manifest names the file ${JSON.stringify(path)}`, {
      value: path,
      remedy: "do not trust where this slice came from: a slice's files stand in its own folder",
    });
  }
}

async function checkEntries(dir: string, manifest: SliceManifest): Promise<void> {
  const expected = new Set<string>([MANIFEST_FILE, ...manifest.resources.map(({ path }) => path)]);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    if (!expected.delete(entry.name)) {
      refuseSlice("slice_extra_file", dir, `it holds ${entry.name}, which its manifest does not name`, {
        value: join(dir, entry.name),
        remedy: "remove that file if it is yours; if not, do not trust the slice",
      });
    }
    if (!entry.isFile()) {
      refuseSlice("slice_not_a_file", dir, `${entry.name} is not a plain file`, {
        value: join(dir, entry.name),
      });
    }
  }
  for (const name of expected) refuseMissing(dir, name);
}

function refuseMissing(dir: string, name: string, cause?: unknown): never {
  refuseSlice("slice_file_missing", dir, `its file ${name} is missing`, { value: join(dir, name), cause });
}

async function checkSize(dir: string, resource: SliceResource): Promise<void> {
  const path = join(dir, resource.path);
  const { size } = await lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    return refuseMissing(dir, resource.path, cause);
  });
  if (size === resource.bytes) return;
  const code = size < resource.bytes ? "slice_truncated" : "slice_corrupt";
  refuseSlice(code, dir, `${resource.path} has ${size} bytes, not ${resource.bytes}`, { value: path });
}

async function checkBytes(dir: string, resource: SliceResource, options: VerifyOptions): Promise<void> {
  await checkSize(dir, resource);
  const path = join(dir, resource.path);
  const { sha256 } = await hashFile(path, options);
  if (`sha256:${sha256}` !== resource.hash) {
    refuseSlice(
      "slice_corrupt",
      dir,
      `the SHA-256 of ${resource.path} is ${sha256}, not ${resource.hash.slice(7)}`,
      {
        value: path,
      },
    );
  }
}
