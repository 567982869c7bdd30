import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { ExactScores } from "./exact-scores.js";
import { bestOf, type ScoringContext } from "./score-rows.js";
import { type Scored, TopK } from "./top-k.js";

const { listed: factor, least, doubt } = SEARCH_DEFAULTS.vector.floats;

/** What {@link ofListed} found. */
export interface FoundOfListed {
  readonly found: Scored;
  /** Whether no row that the list left out may be among them. */
  readonly isWhole: boolean;
}

/** How many rows to list by near scores, so that the best `limit` by exact ones are among them. */
export function roomOf(limit: number): number {
  return Math.max(least, Math.ceil(limit * factor));
}

/**
 * The best `limit` rows by exact scores, best first, ties by row number, among rows listed by near ones. The first `limit` of the
 * list tell how much the two differ; the others are scored as far as their near scores reach, in view of that.
 * @param listed best first by near scores, as many as {@link roomOf} says where there are so many
 * @throws the signal's reason; RangeError if the file of vectors is too short
 */
export async function ofListed(
  exact: ExactScores,
  query: Float32Array,
  listed: Scored,
  limit: number,
  context: ScoringContext,
): Promise<FoundOfListed> {
  const near = Uint32Array.from(listed.rows.slice(0, limit)).sort();
  const first = await bestOf(exact, query, near, limit, context);
  if (listed.rows.length <= limit) return { found: first, isWhole: true };
  const floor = first.scores.at(-1)! - doubt * largestDifference(first, listed);
  const below = listed.scores.findIndex((score, place) => place >= limit && score < floor);
  const end = below === -1 ? listed.rows.length : below;
  const isWhole = below !== -1;
  if (end === limit) return { found: first, isWhole };
  const rest = await bestOf(
    exact,
    query,
    Uint32Array.from(listed.rows.slice(limit, end)).sort(),
    limit,
    context,
  );
  return { found: bestOfBoth(first, rest, limit), isWhole };
}

/** The most that a row's exact score differs from its near one. */
function largestDifference(exact: Scored, listed: Scored): number {
  const scores = new Map(exact.rows.map((row, place) => [row, exact.scores[place]!]));
  let most = 0;
  for (let place = 0; place < scores.size; place += 1)
    most = Math.max(most, Math.abs(listed.scores[place]! - scores.get(listed.rows[place]!)!));
  return most;
}

/** The best rows of two lists, best first, ties by row number. */
function bestOfBoth(one: Scored, other: Scored, limit: number): Scored {
  const best = new TopK(limit);
  for (const { rows, scores } of [one, other])
    for (const [place, row] of rows.entries()) best.offer(row, scores[place]!);
  return best.sorted();
}
