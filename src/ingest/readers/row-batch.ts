import type { Reject } from "../adapters/adapter.js";
import { BATCH_BYTES, BATCH_ROWS } from "../defaults.js";
import { ingestError } from "../ingest-error.js";
import type { IngestLimits } from "./read-options.js";
import type { SourceRow } from "./source-row.js";

/** What every reader knows of the file that it reads. */
export interface ReaderContext {
  /** Name of the source that the file belongs to. */
  readonly source: string;
  /** The file, as rows name it. */
  readonly file: string;
  readonly limits: IngestLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Rows of one file, and what could not be made a row. */
export interface RowBatch {
  readonly rows: readonly SourceRow[];
  readonly rejects: readonly Reject[];
}

/** Collects rows and rejects until there are enough of them, by count or by size, to hand on. */
export class RowBatcher {
  private rows: SourceRow[] = [];
  private rejects: Reject[] = [];
  private bytes = 0;
  private accepted = 0;

  constructor(private readonly context: ReaderContext) {}

  /** Whether there is enough to hand on. */
  get full(): boolean {
    return this.rows.length + this.rejects.length >= BATCH_ROWS || this.bytes >= BATCH_BYTES;
  }

  /** Whether there is neither a row nor a reject. */
  get empty(): boolean {
    return this.rows.length + this.rejects.length === 0;
  }

  /** @param bytes size of the row in the source, about */
  add(line: number, value: unknown, bytes: number): void {
    this.rows.push({ source: this.context.source, file: this.context.file, line, value });
    this.bytes += bytes;
    this.accepted++;
  }

  /**
   * Counts a row that cannot be parsed. Before any row could be, it is the whole file that is not what it was taken for.
   * @param otherwise remedy for the file as a whole
   * @throws IngestError for the first row of the file
   */
  reject(line: number, reason: string, otherwise: { code: string; remedy: string }): void {
    if (this.accepted === 0) {
      throw ingestError(otherwise.code, { file: this.context.file, line }, reason, otherwise.remedy);
    }
    this.rejects.push({ file: this.context.file, line, field: "", reason });
  }

  /** Hands on what was collected, and begins anew. */
  take(): RowBatch {
    const batch = { rows: this.rows, rejects: this.rejects };
    this.rows = [];
    this.rejects = [];
    this.bytes = 0;
    return batch;
  }
}
