import { lineBlocks } from "./line-blocks.js";
import { type ReaderContext, type RowBatch, RowBatcher, withRowsBeforeFault } from "./row-batch.js";

/** Reads plain text: one row per line, without its line end. Blank lines are rows. */
export function readLines(
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
      const feed = block.offsets[i]!;
      const end = feed > start && block.bytes[feed - 1] === 0x0d ? feed - 1 : feed;
      batch.add(block.firstLine + i, block.bytes.toString("utf8", start, end), end - start);
      start = feed + 1;
      if (batch.full) yield batch.take();
    }
  }
  if (!batch.empty) yield batch.take();
}
