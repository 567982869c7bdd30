import { nextTurn } from "../../next-turn.js";
import { JsonTextError, parseJson } from "./json-text.js";
import { lineBlocks } from "./line-blocks.js";
import { type ReaderContext, type RowBatch, RowBatcher, withRowsBeforeFault } from "./row-batch.js";

/** Reads JSON lines: one JSON value per line; blank lines are skipped. An invalid line is rejected; a first line that is no JSON refuses the file. */
export function readJsonl(
  chunks: AsyncIterable<Buffer>,
  context: ReaderContext,
): AsyncGenerator<RowBatch, void, void> {
  const batch = new RowBatcher(context);
  return withRowsBeforeFault(batch, rowsOf(batch, chunks, context));
}

async function* rowsOf(
  batch: RowBatcher,
  chunks: AsyncIterable<Buffer>,
  context: ReaderContext,
): AsyncGenerator<RowBatch, void, void> {
  for await (const block of lineBlocks(chunks, context.file, context.limits)) {
    let start = 0;
    for (let i = 0; i < block.offsets.length; i++) {
      const end = block.offsets[i]!;
      // Files that were joined have a byte order mark in front of each.
      const text = withoutMarks(block.bytes.toString("utf8", start, end));
      const isLong = text.length >= LONG_LINE;
      // To decode, to parse and to convert it take tens of milliseconds each.
      if (isLong) await nextTurn();
      start = end + 1;
      if (text.length < 8 && text.trim() === "") continue;
      const line = block.firstLine + i;
      try {
        batch.add(line, parseJson(text, context.limits.maxDepth), text.length);
      } catch (error) {
        if (!(error instanceof JsonTextError)) throw error;
        if (text.trim() === "") continue;
        if (isSeparatedByReturns(text, context.limits.maxDepth)) batch.reject(line, ...BARE_RETURNS);
        else if (error.tooDeep) batch.reject(line, error.message);
        else batch.reject(line, `${error.message}${hasJoint(text) ? JOINT : ""}`, NOT_JSONL);
      }
      if (isLong) await nextTurn();
      if (batch.full) yield batch.take();
    }
  }
  if (!batch.empty) yield batch.take();
}

/** Characters of a line from which on others get their turn between what is done with it. */
const LONG_LINE = 1_000_000;

const JOINT = ": files were joined here without a line end, as a byte order mark stands between their values";

function withoutMarks(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.replace(/^\ufeff+/, "") : text;
}

/** Whether a byte order mark stands behind a value. */
function hasJoint(text: string): boolean {
  return /[}\]]\s*\ufeff\s*[{[]/.test(text);
}

const NOT_JSONL = {
  code: "not_json_lines",
  remedy:
    "JSON lines hold one JSON value per line; rename the file to what it is (.json, .csv, .tsv) or name its format in the mapping",
};

const BARE_RETURNS = [
  "separates its values by bare carriage returns",
  { code: "jsonl_line_ends", remedy: "convert it, for example `tr '\\r' '\\n'`" },
] as const;

/** Whether a line that is no JSON is JSON up to a carriage return within it. */
function isSeparatedByReturns(text: string, maxDepth: number): boolean {
  const end = text.trimStart().indexOf("\r");
  if (end < 1) return false;
  try {
    parseJson(text.trimStart().slice(0, end), maxDepth);
    return true;
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return false;
  }
}
