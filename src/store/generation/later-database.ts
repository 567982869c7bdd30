import { totalmem } from "node:os";
import { DatabaseError, LakeError } from "../../contract/errors.js";
import { Database, type SqlValue } from "../../duckdb/database.js";
import { READ_DEFAULTS } from "../../duckdb/defaults.js";
import { makeSystemFolder } from "../../files/system-folder.js";
import type { TemporaryFolder } from "../../files/temporary-folder.js";
import { writingTo } from "../../files/writing-to.js";
import { nextTurn } from "../../next-turn.js";
import { rebuildRemedy } from "./rebuild-remedy.js";

/** An open engine, and the folder that it may spill into, if any. */
interface Opened {
  readonly db: Database;
  readonly spill?: TemporaryFolder;
}

/**
 * The read-only database of a generation, opened by its first query: searches and look-ups need none, and an engine takes tens of
 * megabytes and of milliseconds. Where its memory is not enough, another engine takes its place that spills into the system's folder for
 * temporary files: readers write nothing into a lake, and few have to spill.
 */
export class LaterDatabase {
  private opening: Promise<Opened> | undefined;
  private spilling: Promise<Opened> | undefined;
  /** The engine that another one took the place of, on its way out. */
  private leaving: Promise<void> | undefined;
  /** The last far page that was asked for. */
  private farPage: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly path: string,
    /** Threads of the engine; default: one per core. */
    private readonly threads: number | undefined,
    /** Bytes that the engine takes before it spills. */
    private readonly memory = readMemory(),
  ) {}

  /**
   * Runs a query as `Database.rows` does.
   * @throws LakeError `generation_invalid` where the file is no database; DatabaseError; DiskError `disk_full`, `not_writable` where it
   * has to spill
   */
  async rows<T extends Record<string, unknown>>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    const opened = await this.open();
    try {
      return await rowsOf<T>(opened, sql, params);
    } catch (error) {
      const isMemory = error instanceof DatabaseError && error.code === "database_memory";
      if (!isMemory || opened.spill !== undefined) throw error;
      return rowsOf<T>(await this.openSpilling(opened), sql, params);
    }
  }

  /**
   * Runs a query as {@link LaterDatabase.rows} does, for a page of its rows. Far pages take turns: for each the engine sorts all rows, and
   * several at once take several times the memory and no less time.
   */
  page<T extends Record<string, unknown>>(
    sql: string,
    params: readonly SqlValue[],
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<T[]> {
    const run = () => this.rows<T>(`${sql} LIMIT ? OFFSET ?`, [...params, limit, offset]);
    if (offset < READ_DEFAULTS.farOffset) return run();
    const page = this.farPage.then(run);
    this.farPage = page.catch(() => {});
    return page;
  }

  /** Waits for running queries, then closes the database, if it was opened. */
  async close(): Promise<void> {
    this.closed = true;
    for (const opening of new Set([this.opening, this.spilling])) {
      const opened = await opening?.catch(() => undefined);
      await opened?.db.close();
      await opened?.spill?.remove();
    }
    await this.leaving;
  }

  private open(): Promise<Opened> {
    this.assertOpen();
    this.opening ??= this.openNow().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  /** Opens an engine that may spill, in the place of one that may not. */
  private openSpilling(former: Opened): Promise<Opened> {
    this.assertOpen();
    this.spilling ??= this.replace(former).catch((error: unknown) => {
      this.spilling = undefined;
      throw error;
    });
    return this.spilling;
  }

  private async replace({ db }: Opened): Promise<Opened> {
    const spill = await makeSystemFolder("read");
    try {
      const opened = await this.openNow(spill);
      this.opening = this.spilling;
      // Queries that wait for the former engine have it by then.
      this.leaving = nextTurn().then(() => db.close());
      return opened;
    } catch (error) {
      await spill.remove();
      throw error;
    }
  }

  private assertOpen(): void {
    if (this.closed)
      throw new DatabaseError("database_closed", "The database is closed", { remedy: "open it again" });
  }

  private async openNow(spill?: TemporaryFolder): Promise<Opened> {
    const { path, threads } = this;
    const memoryLimit = `${this.memory}B`;
    const tempDirectory = spill?.path ?? "";
    try {
      const db = await Database.openKept(path, { readOnly: true, threads, memoryLimit, tempDirectory });
      return spill === undefined ? { db } : { db, spill };
    } catch (cause) {
      if (!(cause instanceof DatabaseError)) throw cause;
      throw new LakeError("generation_invalid", `${path} is damaged: ${cause.message}`, {
        value: path,
        remedy: rebuildRemedy(path),
        cause,
      });
    }
  }
}

/** Bytes of an engine that reads: a container may have less memory than its machine. */
function readMemory(): number {
  const available = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(READ_DEFAULTS.memory, Math.floor(available * READ_DEFAULTS.memoryShare));
}

function rowsOf<T extends Record<string, unknown>>(
  { db, spill }: Opened,
  sql: string,
  params: readonly SqlValue[],
): Promise<T[]> {
  return spill === undefined ? db.rows<T>(sql, params) : writingTo(spill.path, () => db.rows<T>(sql, params));
}
