/** Default resources of building slices and generations. */
export const BUILD_DEFAULTS = {
  /** Memory of the engine before it spills to disk. */
  memoryLimit: "1GB",
  /** Bytes of the engine that holds items until they are written as slices; the process takes three times as much besides. */
  stagingMemory: 128_000_000,
  /** Its bytes from when it sorts them on. */
  sortMemory: 96_000_000,
  threads: 2,
  /** Least rows of a generation for which a second thread of the engine saves more than it costs. */
  threadsFrom: 5_000,
  /** Most rows of slices whose records are indexed while the engine still writes their raw items: both together take more memory. */
  besideRows: 100_000,
  /** Rows of a row group while items are staged, and rows that wait in memory for being one. */
  stagingRowGroupRows: 16_384,
  /** Rows per append. */
  appendRows: 2048,
  /** Rows per Parquet row group: small enough for range reads and for writing in bounded memory. */
  rowGroupRows: 30_720,
} as const;

/** Default resources of reading a generation. */
export const READ_DEFAULTS = {
  /** Most bytes of the engine before it spills to disk, and most of the memory that the process may have. */
  memory: 1_000_000_000,
  memoryShare: 1 / 3,
  /** Rows before a page from which on the engine sorts them all, instead of keeping the first. */
  farOffset: 5_000,
} as const;

/** Default behaviour of engines. */
export const ENGINE_DEFAULTS = {
  /** Most engines without a database that wait for another one. */
  kept: 4,
  /** Milliseconds for which an engine without a database waits for another one: as long as a lake of few records takes on a busy machine. */
  keptMs: 5_000,
  /** Milliseconds for which results are converted before others get their turn. */
  turnMs: 10,
  /** Milliseconds between reports of how far a statement is. */
  shareMs: 500,
} as const;
