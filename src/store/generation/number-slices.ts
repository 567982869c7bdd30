/**
 * Numbers the slices of a generation that extends another: those that stay keep their numbers, what comes takes those of slices that go
 * and then the next ones, and where more go than come the last ones move, so that there are no gaps.
 * @param known slices of the other generation, by number
 * @returns the slices, by number
 */
export function numberSlices<T>(
  known: readonly T[],
  goes: (slice: T) => boolean,
  added: readonly T[],
): readonly T[] {
  const coming = [...added];
  const numbered = known.map((slice) => (goes(slice) ? coming.shift() : slice));
  numbered.push(...coming);
  for (let gap = numbered.indexOf(undefined); gap >= 0; gap = numbered.indexOf(undefined)) {
    const last = numbered.pop();
    if (last !== undefined) numbered[gap] = last;
  }
  return numbered as T[];
}
