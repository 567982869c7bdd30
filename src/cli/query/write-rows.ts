import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../contract/quantity.js";
import { inSystemFolder } from "../../files/system-folder.js";
import { writingTo } from "../../files/writing-to.js";
import type { SqlRow } from "../../lake/query/lake-sql.js";
import type { ResultText } from "../../lake/query/result-text.js";
import type { CliContext } from "../context.js";
import { STREAM_CHARACTERS } from "../defaults.js";
import { printFile } from "./print-export.js";

/**
 * Writes rows to standard output as they come, and waits for its reader: memory holds a batch. Nothing is written before there is a good
 * piece or the end, so that an early error is all that is printed.
 * @param beforeText is called before anything is written
 * @throws what the rows throw; the signal's reason. Where something was written before, standard error says that it is cut
 */
export async function writeRows(
  batches: AsyncIterable<readonly SqlRow[]>,
  text: ResultText,
  { out, err, signal }: CliContext,
  beforeText: () => void,
): Promise<void> {
  let written = 0;
  try {
    for await (const piece of piecesOf(batches, text)) {
      beforeText();
      out.data(piece.text);
      written = piece.rows;
      await out.drained(signal);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (written > 0) {
      beforeText();
      out.data(text.cut());
      // Who interrupts knows.
      if (!signal.aborted) err.write(`The output is cut after ${counted(written, "row")}\n`);
    }
    throw error;
  }
}

/**
 * Writes rows to standard output once all are there, so that a late error is all that is printed, too. Those of more than a good piece
 * are in a temporary file meanwhile: memory holds a batch.
 * @param beforeText is called before anything is written
 * @throws what the rows throw; the signal's reason; DiskError `disk_full`, `not_writable`
 */
export async function writeAllRows(
  batches: AsyncIterable<readonly SqlRow[]>,
  text: ResultText,
  context: CliContext,
  beforeText: () => void,
): Promise<void> {
  const pieces = piecesOf(batches, text);
  const first = await pieces.next();
  const next = await pieces.next();
  if (next.done) {
    beforeText();
    context.out.data(first.value!.text);
    return;
  }
  await inSystemFolder("sql", async (folder) => {
    const file = join(folder, "rows");
    await writingTo(folder, () => writeFile(file, textsOf([first.value!, next.value], pieces), context));
    beforeText();
    await printFile(file, context);
  });
}

/** A part of the text of a result, and how many rows there are up to its end. */
interface Piece {
  readonly text: string;
  readonly rows: number;
}

/** The text of a result in good pieces, and what is left with the end. There is always one. */
async function* piecesOf(
  batches: AsyncIterable<readonly SqlRow[]>,
  text: ResultText,
): AsyncGenerator<Piece, void, void> {
  let [held, rows] = ["", 0];
  for await (const batch of batches) {
    for (const row of batch) {
      held += text.row(row);
      rows++;
      if (held.length < STREAM_CHARACTERS) continue;
      yield { text: held, rows };
      held = "";
    }
  }
  yield { text: held + text.end(), rows };
}

async function* textsOf(first: readonly Piece[], others: AsyncIterable<Piece>): AsyncGenerator<string> {
  for (const { text } of first) yield text;
  for await (const { text } of others) yield text;
}
