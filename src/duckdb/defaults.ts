/** Resources that building (slices, generations) may take, unless told otherwise. */
export const BUILD_DEFAULTS = {
  /** Memory of the engine before it spills to disk. */
  memoryLimit: "1GB",
  threads: 2,
  /** Rows that go into the engine at a time. */
  appendRows: 2048,
  /** Rows of a Parquet row group: small enough for range reads and for writing in bounded memory. */
  rowGroupRows: 30_720,
} as const;
