import { SEARCH_DEFAULTS } from "../../defaults.js";
import { type ByteScores, wholeQuery } from "./byte-scores.js";
import type { ScoreExchange } from "./score-exchange.js";
import type { ScoringContext } from "./score-rows.js";
import { type Scored, TopK } from "./top-k.js";

const { settled } = SEARCH_DEFAULTS.vector;
/** Stands for a row of another set. */
const OTHER_SET = -1;

/** What {@link scoreRuns} found. */
export interface ScoredRuns {
  readonly found: Scored;
  /** Candidates that were scored, the most likely first. */
  readonly scored: Uint32Array;
  /** How many had been scored when the first so many runs in a row had brought none: of one, two and so on. */
  readonly ends: readonly number[];
}

/** When scoring ends. */
export interface RunRule {
  /** Candidates of a run. */
  readonly run: number;
  /** Runs in a row that bring none among the hundred nearest so far, after which scoring ends. */
  readonly patience: number;
}

/** What scoring has to heed beside its candidates. */
export interface RunContext extends ScoringContext {
  /** Where other sets are searched for the same query: the hundred nearest are those of all sets. */
  readonly exchange?: ScoreExchange | undefined;
}

/**
 * Scores candidates exactly, run by run, until some runs in a row bring none among the hundred nearest so far: what comes later is less
 * likely to. So an easy query has few of them scored, and a hard one many; as many as rows are asked for at least.
 * @param candidates the most likely first
 * @param limit rows that are returned, at most
 * @throws the signal's reason; RangeError if the file of vectors is too short
 */
export async function scoreRuns(
  scores: Pick<ByteScores, "run" | "score">,
  query: Float32Array,
  candidates: Uint32Array,
  limit: number,
  { run, patience }: RunRule,
  { queue, signal, exchange }: RunContext,
): Promise<ScoredRuns> {
  const best = new TopK(Math.min(limit, candidates.length));
  const nearest = new TopK(settled);
  const whole = wholeQuery(query);
  let scored = 0;
  let turn = scores.run;
  const ends: number[] = [];
  // Sets that exchange scores find so many together.
  const least = Math.ceil(limit / (exchange?.sets ?? 1));
  for (let dry = 0; (dry < patience || scored < least) && scored < candidates.length; ) {
    if (scored >= turn) {
      await queue.next(signal);
      turn += scores.run;
    }
    signal?.throwIfAborted();
    const { floor } = nearest;
    let entered = 0;
    // Rows in their order are read in fewer pieces.
    const offer = (row: number, score: number) => {
      best.offer(row, score);
      if (score <= floor) return;
      nearest.offer(row, score);
      entered += 1;
    };
    scores.score(whole, candidates.slice(scored, scored + run).sort(), offer, true);
    scored = Math.min(scored + run, candidates.length);
    if (exchange !== undefined && scored <= run) entered = await enteringAll(nearest, exchange, signal);
    dry = entered === 0 ? dry + 1 : 0;
    if (dry > ends.length) ends.push(scored);
  }
  return { found: best.sorted(), scored: candidates.subarray(0, scored), ends };
}

/** Adds to the nearest of a set what other sets have found; returns whether one of the set is still among them, as a number. */
async function enteringAll(
  nearest: TopK,
  exchange: ScoreExchange,
  signal: AbortSignal | undefined,
): Promise<number> {
  const own = nearest.keptScores().slice();
  exchange.tell(own);
  for (const score of await exchange.others(signal)) nearest.offer(OTHER_SET, score);
  return own.some((score) => score >= nearest.floor) ? 1 : 0;
}
