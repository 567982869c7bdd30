import { LIMITS } from "../contract/service/limits.js";

/**
 * Day of an instant in Asia/Singapore, "2026-05-31". The zone has kept UTC+08:00 without daylight saving since
 * 1982, so the arithmetic is plain. Source: service.md section 8, "Free quota"; IANA time zone database.
 */
export function singaporeDay(ms: number): string {
  return new Date(ms + LIMITS.quotaZoneOffsetMs.value).toISOString().slice(0, -14);
}

/** Calendar month of an instant in Asia/Singapore, "2026-05". It begins at 00:00 there on the 1st. */
export function singaporeMonth(ms: number): string {
  return singaporeDay(ms).slice(0, -3);
}

/** The instant at which the month after the one of `ms` begins in Asia/Singapore. */
export function nextSingaporeMonth(ms: number): number {
  const local = new Date(ms + LIMITS.quotaZoneOffsetMs.value);
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1) - LIMITS.quotaZoneOffsetMs.value;
}
