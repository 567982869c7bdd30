/** Index of the last of some ascending numbers, the first of which is at most `value`, that is at most `value`. */
export function lastAtMost(numbers: Float64Array, value: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (numbers[middle]! <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
