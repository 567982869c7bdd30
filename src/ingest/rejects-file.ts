import { type FileHandle, open } from "node:fs/promises";
import { syncHandle } from "../files/durable-files.js";
import type { Reject } from "./adapters/adapter.js";
import { MAX_REASONS, REJECTS_BUFFER_BYTES } from "./defaults.js";

/** Counts by reason; distinct reasons beyond a limit are counted together. */
export class ReasonCounts {
  private readonly counts = new Map<string, number>();
  /** Sum over all reasons. */
  total = 0;

  /** Adds `by` to a reason. */
  add(reason: string, by = 1): void {
    const key = this.counts.has(reason) || this.counts.size < MAX_REASONS ? reason : "other reasons";
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
    this.total += by;
  }

  /** Counts by reason, most frequent first. */
  entries(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  }
}

/** The reason without the offending value, which differs from row to row. */
function withoutValue(reason: string): string {
  return reason.replace(/, got .*$/s, "");
}

/** Writer of `rejects.jsonl`: one line per reject, in order. */
export class RejectsFile {
  private pending: string[] = [];
  private pendingLength = 0;
  private closed = false;

  private constructor(
    private readonly handle: FileHandle,
    private readonly counts: ReasonCounts,
  ) {}

  /** Creates the file; `counts` counts every reject that is added. */
  static async create(path: string, counts: ReasonCounts): Promise<RejectsFile> {
    return new RejectsFile(await open(path, "wx"), counts);
  }

  /** Buffers one reject. @param countAs the reason without row-specific details */
  add({ file, line, element, field, reason, rows = 1 }: Reject, countAs = withoutValue(reason)): void {
    this.counts.add(field === "" ? countAs : `${field}: ${countAs}`, rows);
    const many = rows === 1 ? undefined : rows;
    const text = JSON.stringify({ file, line, element, field, reason, rows: many });
    this.pending.push(text, "\n");
    this.pendingLength += text.length;
  }

  /** Writes the buffer if it is large enough. */
  async flushIfLarge(): Promise<void> {
    if (this.pendingLength >= REJECTS_BUFFER_BYTES) await this.flush();
  }

  /** Writes everything, syncs and closes the file. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    try {
      await this.flush();
      await syncHandle(this.handle);
    } finally {
      await this.handle.close();
    }
  }

  /** Closes the file and drops the buffer. */
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
