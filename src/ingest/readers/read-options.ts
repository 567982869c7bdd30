import type { Reject } from "../adapters/adapter.js";
import type { SourceSpec, UnreadFiles } from "../adapters/source-spec.js";

/** Limits beyond which a reader refuses a file. Defaults: `INGEST_LIMITS`. */
export interface IngestLimits {
  /** Maximum bytes of one line, CSV record, or JSON array element. */
  readonly maxRecordBytes: number;
  /** Maximum depth of nested arrays and objects in one row. */
  readonly maxDepth: number;
  /** Maximum growth factor of compressed data beyond the allowance. */
  readonly maxExpansion: number;
  /** Bytes that compressed data may always expand to. */
  readonly expansionAllowance: number;
  /** Maximum members of one archive. */
  readonly maxMembers: number;
}

/** Progress of reading. */
export interface ReadProgress {
  /** Input bytes read and their total, which is 0 where a stream is among the inputs; compressed sizes for compressed files. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Rows read so far from all files. */
  readonly rows: number;
  /** Label of the current file. */
  readonly file: string;
}

/** A file that was found but not read. */
export interface FileNotRead {
  readonly file: string;
  readonly reason: string;
  /** Whether the adapter knows the file and skips it on purpose, or it is read by another name and this one fits no pattern. */
  readonly expected: boolean;
  /** The name by which the same file is read; equal to `file` for one that is named twice. */
  readonly sameAs?: string;
}

/** A file that could not be read to its end. */
export interface BadFile {
  readonly file: string;
  /** Code of the fault, as of the `IngestError` that it would be. */
  readonly code: string;
  /** What is wrong, with line and byte where known. */
  readonly reason: string;
  /** Rows that were read before the fault; they are kept. */
  readonly rows: number;
}

/** Options of `readSource`. */
export interface ReadSourceOptions {
  /** Sources in reading order; a file belongs to the first that matches it. */
  readonly sources: readonly SourceSpec[];
  readonly unread?: readonly UnreadFiles[];
  readonly limits?: Partial<IngestLimits>;
  /** Rows to read of each source. Default: all. */
  readonly rowsOfEach?: number;
  /** Folders that are never input, such as the output folder. */
  readonly ignore?: readonly string[];
  /** Folder for data that cannot be streamed (compressed Parquet files). Default: the system's. */
  readonly tempDirectory?: string;
  readonly signal?: AbortSignal;
  /** Called with each row that cannot be parsed on its own (an invalid JSON line, a ragged CSV record). Absent: such a row throws. */
  readonly onReject?: (reject: Reject) => void | Promise<void>;
  readonly onNotRead?: (file: FileNotRead) => void;
  /** Called with each file or archive that cannot be read to its end; reading goes on with the next. Absent: it throws. */
  readonly onBadFile?: (file: BadFile) => void;
  readonly onProgress?: (progress: ReadProgress) => void;
  /** Called with each named pipe that is read before anything has opened it for writing. */
  readonly onWait?: (file: string) => void;
}
