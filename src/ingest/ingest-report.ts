import type { WrittenSlice } from "../staging/publish-slice.js";
import type { StrayCaptures } from "../store/as-of.js";
import type { IngestWarning } from "./ingest-warning.js";
import type { BadFile, FileNotRead } from "./readers/read-options.js";

/** Progress of an ingestion. */
export interface IngestProgress {
  /** `wait`: the file is a named pipe that nothing has opened for writing yet. */
  readonly phase: "read" | "wait" | "write";
  /** Input bytes read and their total, which is 0 where a stream is among the inputs; compressed sizes for compressed files. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly rows: number;
  /** Rejected source rows. */
  readonly rejected: number;
  /** Slices written so far. */
  readonly slices: number;
  readonly file: string;
}

/**
 * Result of an ingestion. Every row read is part of an item in the slices, rejected, or unused; or its items are identical
 * repetitions of others.
 */
export interface IngestReport {
  readonly out: string;
  /** Source rows. */
  readonly read: number;
  /** Unified records and raw items in the slices. */
  readonly records: number;
  readonly raw: number;
  /** Rejected source rows, and rows of which nothing is left because each of their items lost to another with its id. */
  readonly rejected: number;
  /** Items that lost to another with their id and other content: one row can have several, and something that is left. */
  readonly rejectedItems: number;
  /** Rejected source rows and items, by reason. */
  readonly rejectsByReason: Readonly<Record<string, number>>;
  /** Source rows that the adapter skipped on purpose, by reason. */
  readonly unused: number;
  readonly unusedByReason: Readonly<Record<string, number>>;
  /** Items captured more than a day after the clock's time, which cannot be true; absent if there are none. */
  readonly stray?: StrayCaptures;
  /** Identical repetitions of an item. */
  readonly duplicates: number;
  /** Path of the rejects file; the file is empty if there were none. */
  readonly rejectsFile: string;
  /** What the mapping names and no row has, and templates that came to nothing: fields are empty for it, no row is rejected. */
  readonly warnings: readonly IngestWarning[];
  readonly slices: readonly WrittenSlice[];
  readonly filesNotRead: readonly FileNotRead[];
  /** Files that could not be read to their end; empty unless `skipBadFiles`. */
  readonly badFiles: readonly BadFile[];
  readonly bytesRead: number;
  readonly seconds: number;
}
