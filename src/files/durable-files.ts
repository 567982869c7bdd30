import { createHash } from "node:crypto";
import { fdatasync, fsync } from "node:fs";
import { type FileHandle, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../contract/errors.js";
import { readPieces } from "./read-pieces.js";

const syncAll = promisify(fsync);
const syncContent = promisify(fdatasync);

/** Syncs an open file or folder to disk: its content and what is known of it. @throws UsageError `sync_not_allowed` */
export function syncHandle(handle: FileHandle): Promise<void> {
  return synced(
    () => handle.sync(),
    () => syncAll(handle.fd),
  );
}

/** Syncs the content of an open file to disk, and what is needed to read it. @throws UsageError `sync_not_allowed` */
export function syncData(handle: FileHandle): Promise<void> {
  return synced(
    () => handle.datasync(),
    () => syncContent(handle.fd),
  );
}

/**
 * Handles of Yarn's Plug'n'Play lack methods to sync, and say so, at once or later, by an error that is none of the system. By descriptor is
 * not for all: Node's permission model forbids it.
 */
async function synced(byHandle: () => Promise<void>, byDescriptor: () => Promise<void>): Promise<void> {
  try {
    await byHandle();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_ACCESS_DENIED") throw syncNotAllowed(error as Error);
    if (code !== undefined) throw error;
    await byDescriptor();
  }
}

/** What is not synced can be lost or half there after a loss of power, so that nothing is written without. */
function syncNotAllowed(cause: Error): UsageError {
  return new UsageError(
    "sync_not_allowed",
    `Node.js does not let files be synced to disk: ${cause.message}`,
    {
      value: process.version,
      remedy: "write lakes and slices in a process without --permission; one with it can read them",
      cause,
    },
  );
}

/** Syncs a file's content to disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await syncHandle(file);
  } finally {
    await file.close();
  }
}

/** Syncs a folder's entries to disk, where the platform supports it. */
export async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle;
  try {
    folder = await open(path, "r");
  } catch (error) {
    if (process.platform === "win32") return;
    throw error;
  }
  try {
    await syncHandle(folder);
  } finally {
    await folder.close();
  }
}

/** Files synced at a time: the file system commits them together. */
const SYNCS = 8;

/** Syncs a folder and everything in it. */
export async function syncTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const syncs = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => () => (entry.isFile() ? syncFile : syncFolder)(join(entry.parentPath, entry.name)));
  syncs.push(() => syncFolder(path));
  const next = async (): Promise<void> => {
    for (let sync = syncs.pop(); sync !== undefined; sync = syncs.pop()) await sync();
  };
  await Promise.all(Array.from({ length: SYNCS }, next));
}

/** Writes a new file, without a sync: the caller that publishes its folder syncs that. */
export async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(path, content, { flag: "wx" });
}

/** What a file is to hold: all of it, or pieces of its text. */
type FileContent = string | Uint8Array | AsyncIterable<string>;

/** Writes a new file, whole or piece by piece, and syncs it. */
export async function writeFileSynced(path: string, content: FileContent): Promise<void> {
  const file = await open(path, "wx");
  try {
    await writeFile(file, content);
    await syncHandle(file);
  } finally {
    await file.close();
  }
}

/** Renames and syncs the folder. At any instant either the old or the new content exists, never a mixture. */
export async function renameSynced(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Replaces a file by one rename from a new file beside it, which a failure leaves absent. */
export async function replaceFileSynced(
  path: string,
  temporary: string,
  content: FileContent,
): Promise<void> {
  await rm(temporary, { force: true });
  try {
    await writeFileSynced(temporary, content);
    await renameSynced(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** SHA-256 (lower-case hexadecimal) and size of a file, read piece by piece. */
export async function hashFile(
  path: string,
  options: { readonly signal?: AbortSignal; readonly onBytes?: (bytes: number) => void } = {},
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of readPieces(path)) {
    options.signal?.throwIfAborted();
    hash.update(piece);
    bytes += piece.length;
    options.onBytes?.(piece.length);
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** {@link hashFile} of several files, one after another. */
export async function hashFiles(
  paths: readonly string[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<{ sha256: string; bytes: number }[]> {
  const hashes: { sha256: string; bytes: number }[] = [];
  for (const path of paths) hashes.push(await hashFile(path, options));
  return hashes;
}
