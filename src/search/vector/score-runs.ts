import { SEARCH_DEFAULTS } from "../defaults.js";
import type { EventLoopQueue } from "../event-loop-queue.js";
import type { ExactScores } from "./exact-scores.js";
import { type Scored, TopK } from "./top-k.js";

const { settled } = SEARCH_DEFAULTS.vector;

/** What {@link scoreRuns} found. */
export interface ScoredRuns {
  readonly found: Scored;
  /** Candidates that were scored, the most likely first. */
  readonly scored: Uint32Array;
}

/**
 * Scores candidates exactly, run by run, until a run brings none among the hundred nearest so far: what comes later is less likely
 * to. So an easy query has few of them scored, and a hard one many.
 * @param candidates the most likely first
 * @param limit rows that are returned, at most
 * @param run candidates of a run
 * @throws the signal's reason; RangeError if the file of vectors is too short
 */
export async function scoreRuns(
  scores: ExactScores,
  query: Float32Array,
  candidates: Uint32Array,
  limit: number,
  run: number,
  { queue, signal }: { readonly queue: EventLoopQueue; readonly signal?: AbortSignal | undefined },
): Promise<ScoredRuns> {
  const best = new TopK(Math.min(limit, candidates.length));
  const nearest = new TopK(settled);
  let scored = 0;
  let turn = scores.run;
  for (let entered = 1; entered > 0 && scored < candidates.length; scored += run) {
    if (scored >= turn) {
      await queue.next();
      turn += scores.run;
    }
    signal?.throwIfAborted();
    const { floor } = nearest;
    entered = 0;
    // Rows in their order are read in fewer pieces.
    const offer = (row: number, score: number) => {
      best.offer(row, score);
      if (score <= floor) return;
      nearest.offer(row, score);
      entered += 1;
    };
    scores.score(query, candidates.slice(scored, scored + run).sort(), offer, true);
  }
  return { found: best.sorted(), scored: candidates.subarray(0, scored) };
}
