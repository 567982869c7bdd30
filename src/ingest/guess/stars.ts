/** Fewest numbers that show how they are spread. */
const FEWEST = 10;
const MOST = 5;
/** Least share of the highest number: a score that other people's votes make is seldom high. */
const LEAST_SHARE = 0.1;

/** Whether numbers are spread as stars are that people give: whole ones from 1 to 5, and many of them 5. */
export function areStars(numbers: readonly number[]): boolean {
  if (numbers.length < FEWEST) return false;
  const highest = numbers.filter((number) => number === MOST).length;
  return (
    highest >= numbers.length * LEAST_SHARE &&
    numbers.every((number) => Number.isInteger(number) && number >= 1 && number <= MOST)
  );
}
