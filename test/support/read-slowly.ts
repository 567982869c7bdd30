import { setTimeout as pause } from "node:timers/promises";

/** Reads a stream of batches, with a pause after the first of them. @returns the number of its rows */
export async function readSlowly(
  stream: AsyncIterable<readonly unknown[]>,
  pauseMs: number,
): Promise<number> {
  let rows = 0;
  for await (const batch of stream) {
    if (rows === 0) await pause(pauseMs);
    rows += batch.length;
  }
  return rows;
}
