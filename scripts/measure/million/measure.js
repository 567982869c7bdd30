/**
 * Runs a call so many times, one after another, and gives the milliseconds of each.
 * @param {number} count
 * @param {(i: number) => Promise<unknown>} call
 * @returns {Promise<number[]>}
 */
export async function times(count, call) {
  /** @type {number[]} */
  const taken = [];
  for (let i = 0; i < count; i++) {
    const started = performance.now();
    await call(i);
    taken.push(performance.now() - started);
  }
  return taken;
}

/**
 * The value below which a share of the values lies.
 * @param {readonly number[]} values
 * @param {number} share
 * @returns {number}
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/**
 * To three decimal places.
 * @param {number} value
 * @returns {number}
 */
export function round(value) {
  return Math.round(value * 1000) / 1000;
}
