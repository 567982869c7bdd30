import { open } from "node:fs/promises";
import { clearTimeout, setTimeout } from "node:timers";
import { LakeError } from "../../contract/errors.js";
import { syncData } from "../../files/durable-files.js";
import { RELAXED_SYNC_MS } from "../defaults.js";

/**
 * Syncs a write-ahead log to disk shortly after commits, without blocking the event loop. If a sync fails, the next
 * write is refused. SQLite holds no locks on this file, so a second descriptor is safe. It is open for a sync alone: the garbage collector,
 * which comes for an account that nothing closed, ends Node.js 26 where it finds an open one.
 */
export class WalSync {
  private readonly path: string;
  private timer: NodeJS.Timeout | undefined;
  private syncing = Promise.resolve();
  private failure: unknown;

  constructor(path: string) {
    this.path = path;
  }

  /** Schedules a sync; call it after each commit. */
  written(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.syncing = this.syncing.then(() => this.run());
    }, RELAXED_SYNC_MS).unref();
  }

  /** True if the last sync failed, until {@link WalSync.check} reports it. */
  get failed(): boolean {
    return this.failure !== undefined;
  }

  /** @throws LakeError `ledger_write_failed`, once, when the last sync failed */
  check(): void {
    const failure = this.failure;
    this.failure = undefined;
    if (failure === undefined) return;
    const why = failure instanceof Error ? failure.message : String(failure);
    throw new LakeError("ledger_write_failed", `${this.path} could not be synced to disk: ${why}`, {
      value: this.path,
      remedy:
        "This call was not charged; a power cut may lose earlier ones. Check the disk, then call again.",
      cause: failure,
    });
  }

  /** Stops syncing. Closing the database syncs the remaining commits. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    await this.syncing;
  }

  private async run(): Promise<void> {
    try {
      const file = await open(this.path, "r+");
      try {
        await syncData(file);
      } finally {
        await file.close();
      }
    } catch (error) {
      this.failure = error;
    }
  }
}
