import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type Database from "libsql";
import { loadSqlite } from "../../files/load-sqlite.js";
import { nextTurn } from "../../next-turn.js";
import { isBusy } from "./sqlite-error.js";

/**
 * Creates the file, readable by its owner only, if it does not exist. An existing file is not opened: closing any
 * descriptor of a database releases this process's locks on it.
 * @throws the file system's error
 */
export async function createDatabaseFile(path: string): Promise<void> {
  // Not recursive: Node.js 20 then reports a full disk as a missing folder.
  await mkdir(dirname(path), { mode: 0o700 }).catch(unlessThere);
  await open(path, "wx", 0o600).then((file) => file.close(), unlessThere);
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

/** Opens a database, runs the work and closes the database. @throws the engine's error */
export async function withDatabase<T>(
  path: string,
  work: (connection: Database.Database) => Promise<T>,
): Promise<T> {
  const Sqlite = await loadSqlite();
  const connection = new Sqlite(path);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/**
 * Asserts that no process has a connection to a database, and checkpoints its log into the file unless damage prevents
 * that. It switches the database out of WAL mode, which needs the only connection. The next writer switches back.
 * @throws the engine's error if the database is busy
 */
export async function assertUnused(path: string): Promise<void> {
  const leaveWal = () =>
    withDatabase(path, async (connection) => {
      // No prepared statement: it would keep the file open after close().
      connection.exec("PRAGMA journal_mode = DELETE");
    });
  try {
    await leaveWal();
  } catch (error) {
    if (!isBusy(error)) return;
    await collectGarbage();
    await leaveWal().catch((secondError: unknown) => {
      if (isBusy(secondError)) throw secondError;
    });
  }
}

/** Frees the handles of this process's closed connections: prepared statements keep them until garbage collection. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  await nextTurn();
}
