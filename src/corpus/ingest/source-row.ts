/** One row of a source file, as a reader found it and before any mapping. */
export interface SourceRow {
  /** Name of the adapter's source that the file belongs to. */
  readonly source: string;
  /** Path relative to the input; inside a zip `archive.zip!path`. */
  readonly file: string;
  /** 1-based: the line the row starts on, the row of a Parquet file, the element of a JSON array. */
  readonly line: number;
  /** A JSON value; a field of Parquet may also be a bigint, or a list of numbers as a typed array. */
  readonly value: unknown;
}
