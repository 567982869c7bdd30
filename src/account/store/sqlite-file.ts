import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type Database from "libsql";
import { isBusy } from "./sqlite-error.js";

/** Opens a database for one piece of work and closes it. */
export async function withDatabase<T>(
  path: string,
  work: (connection: Database.Database) => Promise<T>,
): Promise<T> {
  const { default: Sqlite } = await import("libsql");
  const connection = new Sqlite(path);
  try {
    return await work(connection);
  } finally {
    connection.close();
  }
}

/**
 * Makes sure that no connection to a database is open, in any process, and that all of it is in the one file, unless damage
 * forbids that: it takes the database out of WAL mode, which one connection alone can do. The next to open it sets that again.
 * @throws the engine's error when it is busy
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
    await leaveWal().catch((again: unknown) => {
      if (isBusy(again)) throw again;
    });
  }
}

/** Frees the handles of closed connections of this process: prepared statements keep them until they are collected. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  await nextTurn();
}
