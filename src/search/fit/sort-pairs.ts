/** Bits of a key that are sorted by at a time. */
const DIGIT = 11;
const BUCKETS = 2 ** DIGIT;

/**
 * Sorts pairs of integers, a key and a value one after the other, by key; those of the same key stay in their order (a radix sort, the
 * lowest digits first). Uses `pairs` and `room`, which is as long; returns the one that holds what was sorted.
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
