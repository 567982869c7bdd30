/** The instant that all generated data is measured back from; the newest price snapshot is of this day. */
export const FIXTURE_NOW_MS = Date.UTC(2026, 4, 29, 12, 0, 0);

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * `2026-05-29 12:00:00` in the given offset: how several platforms write their times.
 * @param {number} ms
 * @returns {string}
 */
export function wallTime(ms, offsetHours = 8) {
  return new Date(ms + offsetHours * HOUR_MS).toISOString().slice(0, 19).replace("T", " ");
}
