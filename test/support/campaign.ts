/**
 * Factor of the rounds that repeated tests run: kills, random sequences, fuzz. 1 in `npm test`; `npm run test:campaign` sets
 * MIRRORLAKE_CAMPAIGN, by default to 10.
 */
const FACTOR = factor(process.env.MIRRORLAKE_CAMPAIGN);

/** Rounds of a repeated test: `few` in `npm test`, so many times more in a campaign. The first rounds are the same in both. */
export function rounds(few: number): number {
  return Math.ceil(few * FACTOR);
}

function factor(text: string | undefined): number {
  if (text === undefined || text === "") return 1;
  const value = Number(text);
  if (!(value >= 1 && value <= 100_000))
    throw new RangeError(`MIRRORLAKE_CAMPAIGN is ${JSON.stringify(text)}: give a factor of 1 to 100000`);
  return value;
}
