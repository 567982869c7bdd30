import type { Reject } from "../adapters/adapter.js";
import type { SourceSpec, UnreadFiles } from "../adapters/source-spec.js";

/** What a reader takes before it refuses a file. Defaults: `INGEST_LIMITS`. */
export interface IngestLimits {
  /** Bytes of one line, CSV record, or JSON array element. */
  readonly maxRecordBytes: number;
  /** Depth of nested arrays and objects in one row. */
  readonly maxDepth: number;
  /** Compressed data may grow by this factor, past the allowance. */
  readonly maxExpansion: number;
  /** Bytes that compressed data may grow to whatever the factor. */
  readonly expansionAllowance: number;
  /** Members of one archive. */
  readonly maxMembers: number;
}

/** How far reading has come. */
export interface ReadProgress {
  /** Bytes of input read, compressed where it is compressed, and of how many. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Rows read from all files so far. */
  readonly rows: number;
  /** The file being read, as its rows name it. */
  readonly file: string;
}

/** A file that was found and not read. */
export interface FileNotRead {
  readonly file: string;
  readonly reason: string;
  /** Whether the adapter knows the file and leaves it out on purpose. */
  readonly expected: boolean;
}

/** How to read inputs. */
export interface ReadSourceOptions {
  /** Read in this order; a file belongs to the first that matches it. */
  readonly sources: readonly SourceSpec[];
  readonly unread?: readonly UnreadFiles[];
  readonly limits?: Partial<IngestLimits>;
  /** Folders that are no part of the input, wherever it lies: that of the output. */
  readonly ignore?: readonly string[];
  /** Folder for what cannot be streamed (Parquet that is compressed as a whole). Default: the system's. */
  readonly tempDirectory?: string;
  readonly signal?: AbortSignal;
  /** Takes a row that cannot be parsed while its neighbours can (a broken JSON line, a ragged CSV record). Absent: such a row throws. */
  readonly onReject?: (reject: Reject) => void | Promise<void>;
  readonly onNotRead?: (file: FileNotRead) => void;
  readonly onProgress?: (progress: ReadProgress) => void;
}
