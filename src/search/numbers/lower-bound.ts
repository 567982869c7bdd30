/**
 * Returns the index of the first of ascending numbers that is at least `value`; their count if there is none.
 */
export function lowerBound(ascending: ArrayLike<number>, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
