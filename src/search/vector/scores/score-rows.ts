import type { EventLoopQueue } from "../../event-loop-queue.js";
import type { ExactScores } from "./exact-scores.js";
import { type Scored, TopK } from "./top-k.js";

/** What scoring has to heed beside its rows: others that share the event loop, and when it is no longer wanted. */
export interface ScoringContext {
  readonly queue: EventLoopQueue;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Scores rows exactly, ascending ones, and returns the best `limit` of them, best first; ties by row number.
 * @throws the signal's reason; RangeError if the file of vectors is too short
 */
export async function bestOf(
  scores: ExactScores,
  query: Float32Array,
  rows: Uint32Array,
  limit: number,
  { queue, signal }: ScoringContext,
): Promise<Scored> {
  const best = new TopK(Math.min(limit, rows.length));
  const { run } = scores;
  for (let first = 0; first < rows.length; first += run) {
    if (first > 0) await queue.next(signal);
    signal?.throwIfAborted();
    const chunk = rows.subarray(first, first + run);
    // A third is read in this thread, the rest by the thread pool at the same time.
    const ahead = scores.readAhead(chunk.subarray(Math.ceil(chunk.length / 3)));
    try {
      scores.score(query, chunk, (row, score) => {
        best.offer(row, score);
      });
    } finally {
      await ahead;
    }
  }
  return best.sorted();
}
