import { DatabaseError, LakeError } from "../../contract/errors.js";
import { Database, type SqlValue } from "../../duckdb/database.js";
import { rebuildRemedy } from "./rebuild-remedy.js";

/**
 * The read-only database of a generation, opened by its first query: searches and look-ups need none, and an engine takes tens of
 * megabytes and of milliseconds.
 */
export class LaterDatabase {
  private opening: Promise<Database> | undefined;
  private closed = false;

  constructor(
    private readonly path: string,
    /** Threads of the engine; default: one per core. */
    private readonly threads: number | undefined,
  ) {}

  /**
   * Runs a query as `Database.rows` does.
   * @throws LakeError `generation_invalid` where the file is no database; DatabaseError
   */
  async rows<T extends Record<string, unknown>>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    return (await this.open()).rows<T>(sql, params);
  }

  /** Waits for running queries, then closes the database, if it was opened. */
  async close(): Promise<void> {
    this.closed = true;
    const opened = await this.opening?.catch(() => undefined);
    await opened?.close();
  }

  private open(): Promise<Database> {
    if (this.closed)
      throw new DatabaseError("database_closed", "The database is closed", { remedy: "open it again" });
    this.opening ??= this.openNow().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async openNow(): Promise<Database> {
    const { path, threads } = this;
    try {
      return await Database.openKept(path, { readOnly: true, threads });
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
