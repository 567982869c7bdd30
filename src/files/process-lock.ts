import { randomBytes } from "node:crypto";
import { link, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type Sqlite from "libsql";
import { LakeError } from "../contract/errors.js";
import { writeFileSynced } from "./durable-files.js";
import { loadSqlite } from "./load-sqlite.js";

/** A lock on a file. The system releases it when the process ends, in any way. */
export interface ProcessLock {
  /** Releases the lock; further calls do nothing. */
  release(): Promise<void>;
}

/** Lock mode: one exclusive holder, or any number of shared ones. */
export type LockMode = "exclusive" | "shared";

/** The longest path of a database that SQLite opens: 512 bytes (https://sqlite.org/src/doc/trunk/src/os_unix.c), less those of `-journal`. */
export const MAX_PATH_BYTES = 504;

const BEGIN: Readonly<Record<LockMode, string>> = {
  exclusive: "BEGIN EXCLUSIVE",
  shared: "BEGIN; SELECT 1 FROM sqlite_schema",
};

/**
 * Tries to lock a file of {@link createLockFile}; returns undefined at once if another holder has it, in this or any other process
 * or container on the machine. A shared lock needs read permission only.
 *
 * The locks are SQLite's (https://sqlite.org/lockingv3.html): POSIX locks, or `LockFileEx` on Windows. They belong to the process:
 * only this module may open the file, because closing any descriptor of it drops them.
 * @throws LakeError `lock_missing` if the file does not exist, `locks_unsupported` if the file system has no locks
 */
export async function tryLock(path: string, mode: LockMode): Promise<ProcessLock | undefined> {
  const Database = await loadSqlite();
  let connection: Sqlite.Database;
  try {
    connection = new Database(`${pathToFileURL(path).href}?mode=rw`, { timeout: 0 });
  } catch (cause) {
    throw await unopened(path, cause);
  }
  const release = async () => {
    if (connection.inTransaction) connection.exec("ROLLBACK");
    connection.close();
  };
  try {
    connection.exec(BEGIN[mode]);
  } catch (cause) {
    await release();
    if ((cause as { code?: unknown }).code === "SQLITE_BUSY") return undefined;
    throw await unopened(path, cause);
  }
  return { release: once(release) };
}

/** Creates a lock file if it is absent. The file is complete before it gets its name. */
export async function createLockFile(path: string): Promise<void> {
  if (await exists(path)) return;
  // `findAbandonedFolders` recognizes this name if the process ends before the link.
  const temporary = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await writeFileSynced(temporary, EMPTY_DATABASE);
    await linkNew(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives a complete lock file its name, unless another process has. */
async function linkNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code === "ENOENT" && (await exists(dirname(path)))) return createLockFile(path); // removed as a leftover
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"].includes(code ?? "")) throw error;
    await writeFileSynced(path, EMPTY_DATABASE); // a file system without hard links
  }
}

/** Whether the file system supports locks beside a path: tested by locking a new file that no other process needs. */
export async function givesLocks(beside: string): Promise<boolean> {
  const path = `${beside}.${randomBytes(8).toString("hex")}`;
  await createLockFile(path);
  try {
    const lock = await tryLock(path, "exclusive");
    await lock?.release();
    return lock !== undefined;
  } catch (error) {
    // Another process has locked it, and removed it as a leftover: there are locks.
    if (error instanceof LakeError && error.code === "lock_missing") return true;
    throw error;
  } finally {
    await rm(path, { force: true });
  }
}

/** The error for a file system without locks. */
export function locksUnsupported(path: string, cause?: unknown): LakeError {
  return new LakeError("locks_unsupported", `The file system of ${path} does not lock files`, {
    value: path,
    remedy: "use a local disk, or a network file system with locks (NFS with lockd, SMB)",
    cause,
  });
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return false;
      throw error;
    },
  );
}

async function unopened(path: string, cause: unknown): Promise<unknown> {
  if (!(await exists(path)))
    return new LakeError("lock_missing", `There is no lock file ${path}`, {
      value: path,
      remedy: "run mirrorlake install once: it makes the lock files of a lake",
      cause,
    });
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_PATH_BYTES)
    return new LakeError("lock_unreadable", `Cannot lock ${path}: its path has ${bytes} bytes`, {
      value: path,
      remedy: `put the lake in a folder with a shorter path: that of a lock may have ${MAX_PATH_BYTES}`,
      cause,
    });
  const { code } = cause as { code?: unknown };
  if (typeof code === "string" && /^SQLITE_(IOERR|PROTOCOL|NOLFS)/.test(code))
    return locksUnsupported(path, cause);
  return new LakeError("lock_unreadable", `Cannot lock ${path}: ${(cause as Error).message.trim()}`, {
    value: path,
    remedy: "give this user the right to read it; if it is damaged, remove it while the lake is not in use",
    cause,
  });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** An empty database of one page of 512 bytes (https://sqlite.org/fileformat2.html): locking it needs no write, and no space. */
const EMPTY_DATABASE = (() => {
  const page = new DataView(new ArrayBuffer(512));
  const header = "SQLite format 3\0";
  for (let i = 0; i < header.length; i++) page.setUint8(i, header.charCodeAt(i));
  page.setUint16(16, 512); // page size
  page.setUint8(18, 1); // written with a rollback journal
  page.setUint8(19, 1);
  page.setUint8(21, 64); // payload fractions, which the format fixes
  page.setUint8(22, 32);
  page.setUint8(23, 32);
  page.setUint32(24, 1); // change counter
  page.setUint32(28, 1); // pages
  page.setUint32(44, 4); // schema format
  page.setUint32(56, 1); // UTF-8
  page.setUint32(92, 1); // the change counter for which the number of pages holds
  page.setUint8(100, 0x0d); // an empty leaf of the schema table
  page.setUint16(105, 512); // where its cells begin
  return new Uint8Array(page.buffer);
})();
