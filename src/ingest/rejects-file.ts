import { type FileHandle, open } from "node:fs/promises";
import type { Reject } from "./adapters/adapter.js";
import { MAX_REASONS, REJECTS_BUFFER_BYTES } from "./defaults.js";

/** Counts things by reason; distinct reasons beyond a bound are counted together. */
export class ReasonCounts {
  private readonly counts = new Map<string, number>();
  /** All that was counted, whatever the reason. */
  total = 0;

  /** Counts `by` things of a reason. */
  add(reason: string, by = 1): void {
    const key = this.counts.has(reason) || this.counts.size < MAX_REASONS ? reason : "other reasons";
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
    this.total += by;
  }

  /** Most frequent first. */
  entries(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  }
}

/** A reason without the value at fault, which differs from row to row. */
function withoutValue(reason: string): string {
  return reason.replace(/, got .*$/s, "");
}

/** `rejects.jsonl` while it is written: a line a reject, in the order in which they come. */
export class RejectsFile {
  private pending: string[] = [];
  private pendingLength = 0;
  private closed = false;

  private constructor(
    private readonly handle: FileHandle,
    private readonly counts: ReasonCounts,
  ) {}

  /** Makes the file; `counts` counts every reject that is added. */
  static async create(path: string, counts: ReasonCounts): Promise<RejectsFile> {
    return new RejectsFile(await open(path, "wx"), counts);
  }

  /** Adds one reject; it is written when enough have come, or at the end. @param countAs its reason without the particulars */
  add({ file, line, field, reason, rows = 1 }: Reject, countAs = withoutValue(reason)): void {
    this.counts.add(field === "" ? countAs : `${field}: ${countAs}`, rows);
    const text = JSON.stringify({ file, line, field, reason, ...(rows === 1 ? {} : { rows }) });
    this.pending.push(text, "\n");
    this.pendingLength += text.length;
  }

  /** Writes what has come since the last time, if it is enough to be worth it. */
  async flushIfLarge(): Promise<void> {
    if (this.pendingLength >= REJECTS_BUFFER_BYTES) await this.flush();
  }

  /** Writes everything, syncs and closes the file. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    try {
      await this.flush();
      await this.handle.sync();
    } finally {
      await this.handle.close();
    }
  }

  /** Closes the file without writing what has not been written. */
  async abandon(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.handle.close();
  }

  private async flush(): Promise<void> {
    const text = this.pending.join("");
    this.pending = [];
    this.pendingLength = 0;
    await this.handle.writeFile(text);
  }
}
