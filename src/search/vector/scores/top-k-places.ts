import type { RowBits } from "../among-rows.js";

const BITS = 12;
/** Sampling steps: for many scores, and for very many, which are at least {@link MANY}. */
const SAMPLE = 8;
const SAMPLE_OF_MANY = 32;
const MANY = 1 << 18;
/** Safety margin of the sampled threshold, in standard deviations, so that it is seldom too high. */
const MARGIN = 4;
/** Scores per requested result from which sampling pays. */
const SPARSE = 64;

type Scores = Int32Array | Uint16Array;

/**
 * Positions of the `limit` largest scores, ascending, and possibly a few more. A sample gives the threshold, so
 * most scores are compared once. The result depends only on the scores and their order.
 */
export function topKPlaces(scores: Scores, limit: number): Uint32Array {
  if (scores.length <= limit) return Uint32Array.from(scores, (_, place) => place);
  const likely = likelyFloor(scores, limit);
  if (likely !== undefined) {
    const places = placesFrom(scores, likely);
    if (places.length >= limit) return topKAmong(scores, places, limit);
  }
  return placesFrom(scores, threshold(scores, 1, limit));
}

/**
 * Of the given positions, at least `limit`, those of the largest scores, in their order: `limit`, and more where 4096 equal ranges
 * of scores do not tell them apart.
 */
export function topKAmong(scores: Scores, places: ArrayLike<number>, limit: number): Uint32Array {
  const found = new Int32Array(places.length);
  for (let i = 0; i < found.length; i += 1) found[i] = scores[places[i]!]!;
  const least = threshold(found, 1, limit);
  const kept = new Uint32Array(found.length);
  let count = 0;
  for (let i = 0; i < found.length; i += 1) if (found[i]! >= least) kept[count++] = places[i]!;
  return kept.slice(0, count);
}

/**
 * An estimated threshold that at least `limit` scores reach; with small probability fewer do. Undefined where
 * sampling does not pay: few results requested, or a large share of the scores.
 */
export function likelyFloor(scores: Scores, limit: number): number | undefined {
  if (limit < SPARSE * SAMPLE && scores.length < limit * SPARSE) return undefined;
  const step = scores.length < MANY ? SAMPLE : SAMPLE_OF_MANY;
  const expected = limit / step;
  return threshold(scores, step, expected + MARGIN * Math.sqrt(expected));
}

/** {@link likelyFloor} of some of the scores: of those whose place is among these bits. */
export function likelyFloorAmong(scores: Uint16Array, limit: number, { bits, count }: RowBits): number {
  const step = scores.length < MANY ? SAMPLE : SAMPLE_OF_MANY;
  const sample = new Uint16Array(Math.ceil(scores.length / step));
  let sampled = 0;
  // Each word of bits gives its own part of the sample, at a place that differs from word to word: neighbours are of one source.
  for (let i = 0; i < scores.length; i += step) {
    const place = Math.min(scores.length - 1, i + ((i / step) % step));
    if (((bits[place >>> 5]! >>> (place & 31)) & 1) === 1) sample[sampled++] = scores[place]!;
  }
  if (sampled === 0) return 0;
  const expected = (limit * sampled) / count;
  return threshold(sample.subarray(0, sampled), 1, expected + MARGIN * Math.sqrt(expected));
}

/**
 * A threshold that `wanted` of every `step`-th score reach, or a few more: the start of one of 4096 equal
 * ranges.
 */
function threshold(scores: Scores, step: number, wanted: number): number {
  let least = scores[0]!;
  let greatest = least;
  for (let i = step; i < scores.length; i += step) {
    const score = scores[i]!;
    if (score < least) least = score;
    else if (score > greatest) greatest = score;
  }
  const shift = Math.max(0, 32 - Math.clz32(greatest - least) - BITS);
  const counts = new Uint32Array(1 << BITS);
  for (let i = 0; i < scores.length; i += step) counts[(scores[i]! - least) >>> shift]! += 1;
  let bucket = counts.length;
  let found = 0;
  while (found < wanted && bucket > 0) found += counts[--bucket]!;
  return least + bucket * 2 ** shift;
}

function placesFrom(scores: Scores, least: number): Uint32Array {
  const places = new Uint32Array(scores.length);
  let found = 0;
  for (let i = 0; i < scores.length; i += 1) if (scores[i]! >= least) places[found++] = i;
  return places.slice(0, found);
}
