import { counted } from "../../contract/quantity.js";
import { terminalLine } from "../../contract/terminal-text.js";
import type { SqlRow } from "../../lake/query/lake-sql.js";
import type { ResultText } from "../../lake/query/result-text.js";
import type { CliContext } from "../context.js";
import { STREAM_CHARACTERS } from "../defaults.js";

/**
 * Writes rows to standard output as they come, and waits for its reader: memory holds a batch. Nothing is written before there is a good
 * piece or the end, so that an early error is all that is printed.
 * @param beforeText is called before anything is written
 * @throws what the rows throw; the signal's reason. Where something was written before, standard error says that it is cut
 */
export async function writeRows(
  batches: AsyncIterable<readonly SqlRow[]>,
  text: ResultText,
  json: boolean,
  { out, err, signal }: CliContext,
  beforeText: () => void,
): Promise<void> {
  let held = "";
  let [taken, written] = [0, 0];
  try {
    for await (const batch of batches) {
      for (const row of batch) {
        held += text.row(row);
        taken++;
        if (held.length < STREAM_CHARACTERS) continue;
        written = taken;
        beforeText();
        out.data(held);
        held = "";
        await out.drained(signal);
        signal.throwIfAborted();
      }
    }
  } catch (error) {
    if (written > 0) {
      beforeText();
      out.data(text.cut());
      // With --json the error itself goes where the rows went, which a program reads. Who interrupts knows.
      const why = json ? `: ${error instanceof Error ? error.message : String(error)}` : "";
      if (!signal.aborted)
        err.write(`The output is cut after ${counted(written, "row")}${terminalLine(why)}\n`);
    }
    throw error;
  }
  beforeText();
  out.data(held + text.end());
}
