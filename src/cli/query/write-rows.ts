import { type CsvOptions, withoutFormula } from "../../files/csv-text.js";
import type { CliContext } from "../context.js";
import { STREAM_CHARACTERS } from "../defaults.js";
import { cellText } from "../format/cell-text.js";
import { escapedJson } from "../format/escaped-json.js";
import { formatCsv } from "../format/format-csv.js";

type Row = Record<string, unknown>;

/** Formats that are written as rows come. */
export type StreamedFormat = "json" | "csv";

/**
 * Writes rows to standard output as they come, as one JSON list or as CSV with a header, and waits for its reader: memory holds a batch.
 * Nothing is written before there is a good piece or the end, so that an early error is all that is printed.
 * @param csv how CSV is written
 * @throws what the rows throw, after a line end where something was written; the signal's reason
 */
export async function writeRows(
  batches: AsyncIterable<readonly Row[]>,
  format: StreamedFormat,
  { out, signal }: CliContext,
  csv: CsvOptions = {},
): Promise<void> {
  const text = format === "json" ? jsonText() : csvText(csv);
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

/** Makes the text of a result, row by row. */
interface ResultText {
  row(row: Row): string;
  end(): string;
}

function jsonText(): ResultText {
  let separator = "[";
  return {
    row: (row) => {
      const text = `${separator}${escapedJson(row)}`;
      separator = ",";
      return text;
    },
    end: () => (separator === "[" ? "[]\n" : "]\n"),
  };
}

function csvText({ escapeFormulas = false }: CsvOptions): ResultText {
  const cell = (value: unknown) =>
    value === null || value === undefined
      ? undefined
      : cellText(escapeFormulas ? withoutFormula(value) : value);
  const line = (values: readonly unknown[]) => formatCsv(values.map(cell));
  let headed = false;
  return {
    row: (row) => {
      const header = headed ? "" : line(Object.keys(row));
      headed = true;
      return header + line(Object.values(row));
    },
    end: () => "",
  };
}
