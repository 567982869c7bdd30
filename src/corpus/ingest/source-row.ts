import { z } from "zod";

/** One row of a source file, before any mapping. */
export interface SourceRow {
  /** Path relative to the input, `/`-separated; a member of an archive is `a.zip!dir/b.jsonl`. */
  readonly file: string;
  /** 1-based: the line where the row starts (JSON lines, CSV, TSV, blocks), or the number of the row (Parquet) or of the array element (JSON). */
  readonly line: number;
  /** `name` of the {@link SourceSpec} that read it. */
  readonly source: string;
  /**
   * JSON value. CSV and TSV: an object of strings by column name, always all columns, an empty field is `""`. Blocks:
   * an object of string arrays by column name. Parquet: plain JS values, NULL is `null`, dates and timestamps are ISO
   * strings. In all formats an integer that a double cannot hold exactly is its decimal string, so that ids survive.
   * The keys of Hive-style folders (`day=2026-05-27/`) are string fields of an object that has no such field itself.
   */
  readonly value: unknown;
}

/** A row or a record that does not fit, and why. */
export interface Reject {
  readonly file: string;
  readonly line: number;
  /** Path of the field at fault; empty where it is the whole row. */
  readonly field: string;
  readonly reason: string;
}

/** How a file is parsed. `blocks`: one token a line with columns, a blank line after each sentence (CoNLL-like). */
export const SourceFormat = z.enum(["jsonl", "json", "csv", "tsv", "blocks", "parquet"]);
export type SourceFormat = z.infer<typeof SourceFormat>;

const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** Details of delimited text. */
export const DelimitedOptions = z.strictObject({
  /** Default: comma for `csv`, tab for `tsv`. */
  delimiter: z
    .string()
    .length(1)
    .refine(
      (c) => c.charCodeAt(0) < 128 && !/["\r\n]/.test(c),
      "must be one ASCII character, no quote or line break",
    )
    .optional(),
  /** Whether `"` quotes fields. Default: true for `csv`, false for `tsv`. */
  quotes: z.boolean().optional(),
  /** Names of the columns of a file without a header line; the first line is then a row. */
  columns: z.array(z.string().min(1)).min(1).optional(),
  /** Columns that the header must have; a file that lacks one is refused. */
  require: z.array(z.string().min(1)).min(1).optional(),
});
export type DelimitedOptions = Readonly<z.infer<typeof DelimitedOptions>>;

/**
 * What a mapping says of the files that it reads: one kind of file. Sources are read in their order, the files of one
 * in the order of their paths; a file that several sources match is read by each.
 */
export const SourceSpec = z.strictObject({
  /** How rows name the source. */
  name: z.string().min(1).default("rows"),
  /**
   * Patterns of the files: `*` and `?` within a path segment, `**` for any number of segments, `{a,b}` for either.
   * A pattern is matched against the end of the path (`*.jsonl` at any depth, `reviews/*.csv` in any folder `reviews`),
   * with a final `.gz` ignored. Archives count as folders. Wildcards match no hidden file.
   */
  glob: oneOrMore,
  /** Patterns of files that `glob` matches and that are not meant. */
  exclude: oneOrMore.optional(),
  /** Default: by the extension, checked against the content. */
  format: SourceFormat.optional(),
  /**
   * JSON: where the rows are in the document, keys joined by dots or listed; `*` is every element or every value
   * (`data.pages.*.items`). An array there gives a row per element, an object is one row. Default: the document itself.
   */
  path: oneOrMore.optional(),
  /** CSV and TSV. */
  delimited: DelimitedOptions.optional(),
  /** Blocks: names of the tab-separated columns of a line. */
  columns: z.array(z.string().min(1)).min(1).optional(),
  /** Whether `key=value` folders become fields. */
  hive: z.boolean().default(true),
});
export type SourceSpec = Readonly<z.infer<typeof SourceSpec>>;

/** What a reader will take before it refuses a file. Defaults: `INGEST_LIMITS` in defaults.ts. */
export interface IngestLimits {
  /** Bytes of one line, row, block, or array element. */
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
  readonly rows: number;
  /** The file being read, as rows name it. */
  readonly file: string;
}

/** A file that was found and not read. */
export interface FileNotRead {
  readonly file: string;
  readonly reason: string;
}

/** How to read inputs. */
export interface ReadOptions {
  readonly sources: readonly SourceSpec[];
  readonly limits?: Partial<IngestLimits>;
  /** Folder for what cannot be streamed (Parquet inside an archive). Default: the system's. */
  readonly tempDirectory?: string;
  readonly signal?: AbortSignal;
  /** Takes a row that cannot be parsed while its neighbours can (a broken JSON line, a ragged CSV row). Without it, such a row throws. */
  readonly onReject?: (reject: Reject) => void | Promise<void>;
  readonly onNotRead?: (file: FileNotRead) => void;
  readonly onProgress?: (progress: ReadProgress) => void;
}
