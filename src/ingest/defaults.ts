import type { IngestLimits } from "./readers/read-options.js";

const MIB = 2 ** 20;

/** What readers take unless told otherwise. Chosen so that memory stays bounded whatever a file holds. */
export const INGEST_LIMITS: IngestLimits = {
  maxRecordBytes: 64 * MIB,
  maxDepth: 512,
  maxExpansion: 200,
  expansionAllowance: 256 * MIB,
  maxMembers: 1_000_000,
};

/** Bytes read from disk, or taken from a decompressor, at a time. */
export const CHUNK_BYTES = 256 * 1024;

/** Rows in a batch, at most. */
export const BATCH_ROWS = 1024;

/** Bytes of source text behind the rows of a batch, about: large rows come in small batches. */
export const BATCH_BYTES = 4 * MIB;

/** Bytes at the start of a file by which its content is judged. */
export const SNIFF_BYTES = 64 * 1024;

/** What DuckDB may use while it reads a Parquet file. */
export const PARQUET_MEMORY = "512MB";

/** Bytes of an archive's directory, which is held in memory. */
export const MAX_ZIP_DIRECTORY_BYTES = 256 * MIB;

/** Fields of one record of delimited text; what has more is a record gone wrong. */
export const MAX_CSV_FIELDS = 65_536;

/** Distinct reasons that a report counts apart. */
export const MAX_REASONS = 500;

/** Characters of rejects held before they are written. */
export const REJECTS_BUFFER_BYTES = MIB;

/** Name of the file of rejects in the output folder. */
export const REJECTS_FILE = "rejects.jsonl";
