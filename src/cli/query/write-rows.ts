import type { SqlRow } from "../../lake/query/lake-sql.js";
import type { ResultText } from "../../lake/query/result-text.js";
import type { CliContext } from "../context.js";
import { STREAM_CHARACTERS } from "../defaults.js";

/**
 * Writes rows to standard output as they come, and waits for its reader: memory holds a batch. Nothing is written before there is a good
 * piece or the end, so that an early error is all that is printed.
 * @throws what the rows throw, after a line end where something was written; the signal's reason
 */
export async function writeRows(
  batches: AsyncIterable<readonly SqlRow[]>,
  text: ResultText,
  { out, signal }: CliContext,
): Promise<void> {
  let held = "";
  let begun = false;
  try {
    for await (const batch of batches) {
      for (const row of batch) {
        held += text.row(row);
        if (held.length < STREAM_CHARACTERS) continue;
        begun = true;
        out.data(held);
        held = "";
        await out.drained(signal);
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    if (begun) out.data("\n");
    throw error;
  }
  out.data(held + text.end());
}
