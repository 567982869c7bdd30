import { UsageError } from "../contract/errors.js";
import type { Reject } from "./adapters/adapter.js";
import { BATCH_ROWS } from "./defaults.js";
import { iterateUntilAborted } from "./iterate-until-aborted.js";
import type { InputStream } from "./readers/found-file.js";
import type { SourceRow } from "./readers/source-row.js";
import { copyRow } from "./values/copy-row.js";
import { FieldError } from "./values/field-error.js";

/**
 * Rows of a program: from a database, a queue, an API. Each is one row of the adapter's source, read when it comes: the program may
 * use its object for the next. A date is its ISO 8601 text, an object with `toJSON` is what that says.
 */
export type InputRows = AsyncIterable<unknown>;

/** What is ingested: paths of files and folders and streams of bytes, or the rows of a program. */
export type IngestInput = readonly (string | InputStream)[] | InputRows;

/** Name of a program's rows in rejects. */
const INPUT = "input";

/** Whether an input is the rows of a program. */
export function isInputRows(input: IngestInput): input is InputRows {
  return Symbol.asyncIterator in input;
}

/** Settings of {@link rowsOfProgram}. */
interface RowsOptions {
  /** Called with the number of rows so far. */
  readonly onRows: (count: number) => void;
  /** Called with each row that a file could not hold. */
  readonly onReject: (reject: Reject) => void | Promise<void>;
  /** Maximum depth of nested arrays and objects in one row. */
  readonly maxDepth: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Gathers copies of the rows of a program in batches, as they come. An abort ends it at once, even while the next row is pending.
 * @throws UsageError `source_ambiguous` if the adapter has several sources
 */
export async function* rowsOfProgram(
  rows: InputRows,
  sources: readonly { readonly name: string }[],
  { onRows, onReject, maxDepth, signal }: RowsOptions,
): AsyncGenerator<SourceRow[], void, void> {
  const [only, another] = sources;
  if (only === undefined || another !== undefined) {
    throw new UsageError(
      "source_ambiguous",
      `The adapter has ${sources.length} sources, and rows are of one`,
      {
        value: sources.map(({ name }) => name),
        remedy: "give rows to a mapping with one source; several are for files",
      },
    );
  }
  let batch: SourceRow[] = [];
  let line = 0;
  for await (const value of iterateUntilAborted(rows, signal)) {
    signal?.throwIfAborted();
    line++;
    try {
      batch.push({ source: only.name, file: INPUT, line, value: copyRow(value, maxDepth) });
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      await onReject({ file: INPUT, line, field: error.field, reason: error.message });
      continue;
    }
    if (batch.length < BATCH_ROWS) continue;
    onRows(line);
    yield batch;
    batch = [];
  }
  onRows(line);
  if (batch.length > 0) yield batch;
}
