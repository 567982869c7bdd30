import type Database from "libsql";
import { loadSqlite } from "../../files/load-sqlite.js";
import { CACHE_KIB, PAGE_BYTES, PAGES_PER_CHECKPOINT } from "../defaults.js";
import type { AccountTransaction, ChargedCall, ChargedState } from "./account-store.js";
import { SCHEMA } from "./schema.js";
import { schemaVersion } from "./schema-version.js";
import { createDatabaseFile } from "./sqlite-file.js";
import { SqliteTransaction } from "./sqlite-transaction.js";

/** Options of {@link SqliteConnection.open}. */
export interface ConnectionOptions {
  /** Fills a new database, in the transaction that creates its tables. */
  readonly fill?: (transaction: AccountTransaction) => Promise<void>;
}

/** A connection to the database of an account, with its transactions. It enters WAL mode with the first write. */
export class SqliteConnection {
  readonly transaction: SqliteTransaction;
  private readonly database: Database.Database;
  private synchronous = "";
  private wal = false;

  private constructor(database: Database.Database, transaction: SqliteTransaction) {
    this.database = database;
    this.transaction = transaction;
  }

  /**
   * Opens a database and creates its file and tables where absent.
   * @throws the engine's error; LakeError `ledger_newer_format`; any error of `fill`
   */
  static async open(path: string, options: ConnectionOptions): Promise<SqliteConnection> {
    const Sqlite = await loadSqlite();
    await createDatabaseFile(path);
    const database = new Sqlite(path);
    try {
      const transaction = new SqliteTransaction(database);
      if (schemaVersion(database, path) === 0) await createTables(database, transaction, path, options.fill);
      return new SqliteConnection(database, transaction);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** True if there was a write: {@link SqliteConnection.appendCharge} is possible. */
  get isWriting(): boolean {
    return this.wal;
  }

  /** Begins a transaction. @param synced True if its commit must be on disk before it returns. */
  begin(writes: boolean, synced: boolean): void {
    if (writes) {
      // Entering WAL mode costs syncs, which a lake that is only read must not wait for.
      if (!this.wal) this.enterWal();
      this.setSynchronous(synced ? "FULL" : "NORMAL");
    }
    this.database.exec(writes ? "BEGIN IMMEDIATE" : "BEGIN");
    try {
      this.transaction.begin();
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  /** As {@link SqliteTransaction.appendCharge}. @throws the engine's error; roll back then */
  appendCharge(call: ChargedCall, month: string): ChargedState | undefined {
    // Not the statement alone: if it found the database locked, the engine would leave it active, with its old snapshot.
    this.database.exec("BEGIN IMMEDIATE");
    const charged = this.transaction.appendCharge(call, month);
    this.database.exec("COMMIT");
    return charged;
  }

  /** Commits what the transaction changed. */
  commit(): void {
    this.transaction.flush();
    this.database.exec("COMMIT");
  }

  /** Rolls back. Returns false if that fails: the connection is unusable. */
  rollBack(): boolean {
    this.transaction.forget();
    try {
      if (this.database.inTransaction) this.database.exec("ROLLBACK");
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Closes the connection. The last connection leaves WAL mode first, so that all data is in the one file. Otherwise
   * prepared statements would keep the engine's handles until garbage collection, which would then delete the log by
   * its name, when that name may already belong to another database.
   */
  close(): void {
    try {
      this.database.exec("PRAGMA journal_mode = DELETE");
    } catch {
      // Other connections use it, or the disk fails: the next connection reads the data from the log.
    }
    this.database.close();
  }

  private enterWal(): void {
    this.database.exec("PRAGMA journal_mode = WAL");
    this.database.exec(`PRAGMA wal_autocheckpoint = ${PAGES_PER_CHECKPOINT}`);
    this.database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    this.wal = true;
  }

  private setSynchronous(level: "FULL" | "NORMAL"): void {
    if (this.synchronous === level) return;
    this.database.exec(`PRAGMA synchronous = ${level}`);
    this.synchronous = level;
  }
}

async function createTables(
  database: Database.Database,
  transaction: SqliteTransaction,
  path: string,
  fill: ConnectionOptions["fill"],
): Promise<void> {
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  database.exec("PRAGMA synchronous = FULL");
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have created the tables meanwhile.
    if (schemaVersion(database, path) === 0) {
      database.exec(SCHEMA);
      await fill?.(transaction);
      transaction.flush();
    }
    database.exec("COMMIT");
  } catch (error) {
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
