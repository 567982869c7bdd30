import type { Reject } from "../adapters/adapter.js";
import { BATCH_BYTES, BATCH_ROWS } from "../defaults.js";
import { ingestError } from "../ingest-error.js";
import type { IngestLimits } from "./read-options.js";
import type { SourceRow } from "./source-row.js";

/** The file being read, as every reader sees it. */
export interface ReaderContext {
  /** Name of the source that the file belongs to. */
  readonly source: string;
  /** Label of the file. */
  readonly file: string;
  readonly limits: IngestLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Rows of one file, and the rows that were rejected. */
export interface RowBatch {
  readonly rows: readonly SourceRow[];
  readonly rejects: readonly Reject[];
}

/** Collects rows and rejects into batches limited by count and size. */
export class RowBatcher {
  private rows: SourceRow[] = [];
  private rejects: Reject[] = [];
  private bytes = 0;
  private accepted = 0;

  constructor(private readonly context: ReaderContext) {}

  /** Whether the batch has reached its limit. */
  get full(): boolean {
    return this.rows.length + this.rejects.length >= BATCH_ROWS || this.bytes >= BATCH_BYTES;
  }

  /** Whether the batch has neither rows nor rejects. */
  get empty(): boolean {
    return this.rows.length + this.rejects.length === 0;
  }

  /**
   * @param bytes approximate size of the row in the source
   * @param element position among the rows of a JSON document
   */
  add(line: number, value: unknown, bytes: number, element?: number): void {
    const { source, file } = this.context;
    this.rows.push(
      element === undefined ? { source, file, line, value } : { source, file, line, element, value },
    );
    this.bytes += bytes;
    this.accepted++;
  }

  /**
   * Adds a reject for a row that cannot be parsed. If no row of the file was parsed before it, the file has another format.
   * @param wholeFile code and remedy for the whole file; absent where the reason says nothing of its format
   * @param element position among the rows of a JSON document
   * @throws IngestError if no row of the file was parsed before, and there is a `wholeFile`
   */
  reject(line: number, reason: string, wholeFile?: { code: string; remedy: string }, element?: number): void {
    if (this.accepted === 0 && wholeFile !== undefined) {
      throw ingestError(wholeFile.code, { file: this.context.file, line }, reason, wholeFile.remedy);
    }
    this.rejects.push({ file: this.context.file, line, element, field: "", reason });
  }

  /** Returns the batch and starts the next one. */
  take(): RowBatch {
    const batch = { rows: this.rows, rejects: this.rejects };
    this.rows = [];
    this.rejects = [];
    this.bytes = 0;
    return batch;
  }
}

/** The batches of a reader. Where it throws, the rows that it had added before come first: they can be kept. */
export async function* withRowsBeforeFault(
  batch: RowBatcher,
  batches: AsyncGenerator<RowBatch, void, void>,
): AsyncGenerator<RowBatch, void, void> {
  try {
    yield* batches;
  } catch (error) {
    if (!batch.empty) yield batch.take();
    throw error;
  }
}
