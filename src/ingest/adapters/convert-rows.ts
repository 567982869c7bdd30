import type { SliceItem } from "../../contract/slice/slice-item.js";
import type { SourceRow } from "../readers/source-row.js";
import { FieldError } from "../values/field-error.js";
import type { Converted } from "./adapter.js";

/** Outcome of one row: its items (possibly none yet), or the reason it is unused. */
export type RowOutcome = readonly SliceItem[] | { readonly unused: string };

/**
 * Converts rows one by one. A FieldError rejects its row.
 * @param convert returns the outcome of a row; it may be asynchronous if it spills
 */
export async function* convertRows(
  rows: AsyncIterable<readonly SourceRow[]>,
  convert: (row: SourceRow) => RowOutcome | Promise<RowOutcome>,
): AsyncGenerator<readonly Converted[]> {
  for await (const batch of rows) {
    const out: Converted[] = [];
    for (const row of batch) {
      const { file, line, element } = row;
      try {
        const outcome = convert(row);
        const items = outcome instanceof Promise ? await outcome : outcome;
        if ("unused" in items) out.push({ unused: { file, line, reason: items.unused } });
        else for (const item of items) out.push({ ok: { ...item, at: { file, line, element } } });
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        out.push({ reject: { file, line, element, field: error.field, reason: error.message } });
      }
    }
    if (out.length > 0) yield out;
  }
}
