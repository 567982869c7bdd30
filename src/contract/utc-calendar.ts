/** The first instant of the year 0000 in UTC, epoch ms: the first that ISO 8601 text with four digits of a year can name. */
export const FIRST_INSTANT_MS = -62_167_219_200_000;

/** The last instant of the year 9999 in UTC, epoch ms. */
export const LAST_INSTANT_MS = 253_402_300_799_999;

/** Months since year 0 of an instant in UTC: year × 12 + month − 1. @param ms since the epoch */
export function monthNumber(ms: number): number {
  const date = new Date(ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The first instant of a month in UTC, epoch ms. @param month months since year 0, as {@link monthNumber} counts */
export function monthStartMs(month: number): number {
  // `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
}

/**
 * What a month's end is called, epoch ms: the first instant of the next month. That of December 9999 is its last instant, which it
 * holds: no text names what follows.
 */
export function monthEndMs(month: number): number {
  return Math.min(monthStartMs(month + 1), LAST_INSTANT_MS);
}

/** Whether an instant is before the year 0000 or after 9999 in UTC; not what is no instant (NaN). @param ms since the epoch */
export function isBeyondCalendar(ms: number): boolean {
  return ms < FIRST_INSTANT_MS || ms > LAST_INSTANT_MS;
}
