import { z } from "zod";

/** Marks between or around fields. Delimited text is read byte by byte. */
const Marks = z
  .string()
  .regex(
    /^[\t -~]*$/,
    "must be a tab or a visible ASCII character: put one in its place in the file, or read the file as lines and take them apart",
  );

/**
 * Format of a file:
 * - `jsonl`: one JSON value per line.
 * - `json`: one document; `rows` is the dotted path of the array of rows (`data.comments`; `*` is every element). Empty or
 *   absent: the document itself, which is one row unless it is an array.
 * - `csv`: records of RFC 4180; the first names the columns unless `columns` does. `quote: null` turns quoting off (plain TSV).
 *   A row is an object of strings.
 * - `parquet`: a row is an object; Hive partition keys of the path are among its fields.
 * - `lines`: a row is the text of one line, without its line end; blank lines are rows.
 */
export const ReadOptions = z.discriminatedUnion("as", [
  z.strictObject({ as: z.literal("jsonl") }),
  z.strictObject({ as: z.literal("json"), rows: z.string().optional() }),
  z.strictObject({
    as: z.literal("csv"),
    delimiter: Marks.min(1).max(4).optional(),
    quote: Marks.length(1).nullable().optional(),
    columns: z.array(z.string().min(1)).min(1).optional(),
  }),
  z.strictObject({ as: z.literal("parquet") }),
  z.strictObject({ as: z.literal("lines") }),
]);
export type ReadOptions = Readonly<z.infer<typeof ReadOptions>>;

/**
 * A kind of file that an adapter reads. `files` are globs (`*`, `**`, `?`, `{a,b}`) over the path inside the input or the zip,
 * without `.gz`; a glob without a slash matches the file name in any folder.
 */
export const SourceSpec = z.strictObject({
  /** Source name; every row carries it. */
  name: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  files: z.array(z.string().min(1)).min(1),
  /** Default: by file extension. */
  read: ReadOptions.optional(),
});
export type SourceSpec = Readonly<z.infer<typeof SourceSpec>>;

/** Files that an adapter skips on purpose, and the reason; any other unread file is worth a warning. */
export const UnreadFiles = z.strictObject({
  files: z.array(z.string().min(1)).min(1),
  reason: z.string().min(1),
});
export type UnreadFiles = Readonly<z.infer<typeof UnreadFiles>>;
