/** One row of a source file, as read, before any mapping. */
export interface SourceRow {
  /** Name of the adapter's source that the file belongs to. */
  readonly source: string;
  /** Path relative to the input, `/`-separated; inside a zip `archive.zip!path`. */
  readonly file: string;
  /** 1-based: the line on which the row starts, or the row of a Parquet file. */
  readonly line: number;
  /** 1-based position among the rows of a JSON document, of which several may be on one line; absent for other files. */
  readonly element?: number;
  /**
   * A JSON value. JSON: an integer beyond ±(2^53 − 1) is a decimal string, so that ids survive. CSV: an object of strings by
   * column, with every column; an empty field is `""`. Lines: a string. Parquet: an object; NULL is `null`, dates and
   * timestamps are ISO strings, an integer beyond ±(2^53 − 1) is a decimal string, a list of numbers may be a typed array.
   * Keys of Hive-style folders (`day=2026-05-27/`) become string fields of every object row that lacks the field.
   */
  readonly value: unknown;
}
