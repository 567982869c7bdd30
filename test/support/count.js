import { appendFileSync } from "node:fs";

/** What a campaign does: attacks, and what was asked under them. */
export const DONE = /** @type {const} */ ([
  "kills",
  "faults",
  "flips",
  "slices",
  "servers",
  "charges",
  "namespaces",
  "bombs",
  "sequences",
  "removals",
]);

/**
 * What a campaign must not find:
 * - `lost`, `doubled`: an answered charge that the ledger has not, or has twice; work that was done and is not there;
 * - `wrong`: a state that is neither the old nor the new one, an answer that is wrong without an error, a flip that nobody found;
 * - `crashes`: a process that ended by a signal that nobody sent;
 * - `descriptors`: files that are open when the work is done.
 */
export const FOUND = /** @type {const} */ (["lost", "doubled", "wrong", "crashes", "descriptors"]);

/**
 * Adds to a campaign's counts, which it prints at its end. Does nothing in `npm run test:all`.
 * @param {typeof DONE[number] | typeof FOUND[number]} what
 * @param {number} number
 */
export function count(what, number = 1) {
  const file = process.env.MIRRORLAKE_COUNTS;
  if (file !== undefined && file !== "" && number > 0) appendFileSync(file, `${what} ${number}\n`);
}
