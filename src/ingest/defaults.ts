import type { IngestLimits } from "./readers/read-options.js";

const MIB = 2 ** 20;

/** Default limits of readers. They keep memory bounded for any input. */
export const INGEST_LIMITS: IngestLimits = {
  maxRecordBytes: 64 * MIB,
  maxDepth: 512,
  maxExpansion: 200,
  expansionAllowance: 256 * MIB,
  maxMembers: 1_000_000,
};

/** Bytes per read from disk or from a decompressor. */
export const CHUNK_BYTES = 256 * 1024;

/** Bytes of compressed data that are decompressed at a time. */
export const INFLATE_BYTES = 16 * 1024;

/** Maximum rows per batch. */
export const BATCH_ROWS = 1024;

/** Approximate source bytes per batch: large rows come in small batches, each of which is converted in one turn of the event loop. */
export const BATCH_BYTES = MIB;

/** Milliseconds of converting rows after which the event loop turns. One row more, or the writing of what was converted, has to fit beside it. */
export const CONVERT_TURN_MS = 10;

/** Bytes at the start of a file that are checked against its format. */
export const SNIFF_BYTES = 64 * 1024;

/** Bytes that DuckDB may take to read a Parquet file. */
export const PARQUET_MEMORY = 512_000_000;

/** Share of the memory that is available which it may take for a file that needs more. */
export const PARQUET_MEMORY_SHARE = 0.5;

/** Maximum bytes of an archive's directory, which is held in memory. */
export const MAX_ZIP_DIRECTORY_BYTES = 256 * MIB;

/** Maximum fields of one record of delimited text; a record with more is rejected. */
export const MAX_CSV_FIELDS = 65_536;

/** Distinct reasons that a report counts separately. */
export const MAX_REASONS = 500;

/** Characters of rejects buffered before a write. */
export const REJECTS_BUFFER_BYTES = MIB;

/** Name of the file of rejects in the output folder. */
export const REJECTS_FILE = "rejects.jsonl";
