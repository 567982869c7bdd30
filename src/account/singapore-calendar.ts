import { LIMITS } from "../contract/service/limits.js";
import { monthNumber, monthStartMs } from "../contract/utc-calendar.js";

/**
 * Returns the day of an instant in Asia/Singapore, "2026-05-31". The zone is UTC+08:00 without daylight saving time
 * since 1982, so a fixed offset suffices. Source: service.md section 8, "Free quota"; IANA time zone database.
 */
export function singaporeDay(ms: number): string {
  return new Date(ms + LIMITS.quotaZoneOffsetMs.value).toISOString().slice(0, -14);
}

/** Returns the month of an instant in Asia/Singapore, "2026-05". A month begins on the 1st at 00:00 local time. */
export function singaporeMonth(ms: number): string {
  const local = new Date(ms + LIMITS.quotaZoneOffsetMs.value);
  return `${local.getUTCFullYear()}-${String(local.getUTCMonth() + 1).padStart(2, "0")}`;
}

/** Returns the start of the next month in Asia/Singapore, in ms since the Unix epoch. */
export function nextSingaporeMonth(ms: number): number {
  const local = ms + LIMITS.quotaZoneOffsetMs.value;
  return monthStartMs(monthNumber(local) + 1) - LIMITS.quotaZoneOffsetMs.value;
}
