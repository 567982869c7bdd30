/**
 * Repeated tests (kills, random sequences, fuzz, properties) run a short, seeded share in `npm run test:all`. `npm run test:campaign`
 * runs them at length: MIRRORLAKE_CAMPAIGN multiplies the rounds, MIRRORLAKE_SEED says where the randomness begins,
 * MIRRORLAKE_EVERY at which of the writes the disk is full.
 */
const FACTOR = numberFrom("MIRRORLAKE_CAMPAIGN", 1, 1, 100_000);

/** Whether this is a campaign: what takes long and is much like what `npm run test:all` runs too then runs as well. */
export const CAMPAIGN = FACTOR > 1;

/** Whether this is the first round of a campaign: what is the same in every round is done once. */
export const FIRST_ROUND = CAMPAIGN && ["", "1"].includes(process.env.MIRRORLAKE_ROUND ?? "");

/** Where the randomness of repeated tests begins: the same in every `npm run test:all`, another in each campaign unless it is given. */
export const SEED = numberFrom("MIRRORLAKE_SEED", 2026, 0, 2 ** 31 - 1);

/** A campaign lets the disk be full at one in so many writes; 1: at each, which takes hours. */
export const EVERY = numberFrom("MIRRORLAKE_EVERY", 8, 1, 1000);

/** Rounds of a repeated test: `few` in `npm run test:all`, so many times more in a campaign. */
export function rounds(few: number): number {
  return Math.ceil(few * FACTOR);
}

/** Parameters of `fc.assert` for a property that `npm run test:all` tries `few` times. */
export function runs(few: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: rounds(few), seed: SEED };
}

function numberFrom(name: string, otherwise: number, min: number, max: number): number {
  const text = process.env[name];
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (!(value >= min && value <= max))
    throw new RangeError(`${name} is ${JSON.stringify(text)}: give a number from ${min} to ${max}`);
  return value;
}
