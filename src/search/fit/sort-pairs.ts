/** Bits sorted per pass. */
const DIGIT = 11;
const BUCKETS = 2 ** DIGIT;

/**
 * Sorts pairs of key and value by key, stable: a radix sort from the lowest digits. Uses `pairs` and `room`, of
 * equal length, and returns the one with the result.
 */
export function sortPairs(pairs: Uint32Array, room: Uint32Array): Uint32Array {
  let [from, to] = [pairs, room];
  for (let shift = 0; shift < 32; shift += DIGIT) {
    const next = new Uint32Array(BUCKETS);
    for (let i = 0; i < from.length; i += 2) next[(from[i]! >>> shift) & (BUCKETS - 1)]! += 1;
    let before = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      const count = next[bucket]!;
      next[bucket] = before;
      before += count * 2;
    }
    for (let i = 0; i < from.length; i += 2) {
      const key = from[i]!;
      const bucket = (key >>> shift) & (BUCKETS - 1);
      const at = next[bucket]!;
      next[bucket] = at + 2;
      to[at] = key;
      to[at + 1] = from[i + 1]!;
    }
    [from, to] = [to, from];
  }
  return from;
}
