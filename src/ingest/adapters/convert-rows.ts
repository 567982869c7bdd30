import type { SliceItem } from "../../contract/slice/slice-item.js";
import { EventLoopTurn } from "../../event-loop-turn.js";
import { CONVERT_TURN_MS } from "../defaults.js";
import type { SourceRow } from "../readers/source-row.js";
import { FieldError } from "../values/field-error.js";
import type { Converted } from "./adapter.js";

/** Outcome of one row: its items (possibly none yet), or the reason it is unused. */
export type RowOutcome = readonly SliceItem[] | { readonly unused: string };

/**
 * Converts rows one by one. A FieldError rejects its row. The event loop turns between rows that take long.
 * @param convert returns the outcome of a row; it may be asynchronous if it spills
 */
export async function* convertRows(
  rows: AsyncIterable<readonly SourceRow[]>,
  convert: (row: SourceRow) => RowOutcome | Promise<RowOutcome>,
): AsyncGenerator<readonly Converted[]> {
  const turn = new EventLoopTurn(CONVERT_TURN_MS);
  for await (const batch of rows) {
    const out: Converted[] = [];
    for (const row of batch) {
      if (turn.isOver()) await turn.next();
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
    // The writing of what was converted has a turn of its own.
    if (turn.isOver()) await turn.next();
    if (out.length > 0) yield out;
  }
}
