import { z } from "zod";

/**
 * How a file is cut into rows:
 * - `jsonl`: a JSON value a line.
 * - `json`: one document; `rows` is the dotted path of the array of rows (`data.comments`; `*` is every element), empty or absent for the document
 *   itself, which is one row where it is no array.
 * - `csv`: records of RFC 4180; the first names the columns unless `columns` does. `quote: null` turns quoting off (plain TSV).
 *   A row is an object of strings.
 * - `parquet`: a row is an object; Hive partition keys of the path are among its fields.
 * - `lines`: a row is the text of one line, without its line end; blank lines are rows too.
 */
export const ReadOptions = z.discriminatedUnion("as", [
  z.strictObject({ as: z.literal("jsonl") }),
  z.strictObject({ as: z.literal("json"), rows: z.string().optional() }),
  z.strictObject({
    as: z.literal("csv"),
    delimiter: z.string().length(1).optional(),
    quote: z.string().length(1).nullable().optional(),
    columns: z.array(z.string().min(1)).min(1).optional(),
  }),
  z.strictObject({ as: z.literal("parquet") }),
  z.strictObject({ as: z.literal("lines") }),
]);
export type ReadOptions = Readonly<z.infer<typeof ReadOptions>>;

/**
 * A kind of file that an adapter reads. `files` are globs (`*`, `**`, `?`, `{a,b}`) over the path inside the input, with `.gz`
 * taken off and, in a zip, the path inside the zip; a glob without a slash matches the file name in any folder.
 */
export const SourceSpec = z.strictObject({
  /** What the rows are called; every row carries it. */
  name: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/),
  files: z.array(z.string().min(1)).min(1),
  /** Absent: by file extension. */
  read: ReadOptions.optional(),
});
export type SourceSpec = Readonly<z.infer<typeof SourceSpec>>;

/** Files that an adapter knows and leaves unread, and why; any other unread file deserves a warning. */
export const UnreadFiles = z.strictObject({
  files: z.array(z.string().min(1)).min(1),
  reason: z.string().min(1),
});
export type UnreadFiles = Readonly<z.infer<typeof UnreadFiles>>;
