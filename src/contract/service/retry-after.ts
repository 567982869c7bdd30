/** Longest wait that is told, s: some 31 years. */
const LONGEST_S = 999_999_999;

/** `Retry-After` of whole seconds, in s, at most 999,999,999; undefined for any other text, such as a date. */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  const text = header?.trim() ?? "";
  return /^[0-9]+$/.test(text) ? Math.min(Number(text), LONGEST_S) : undefined;
}

/** `Retry-After` in ms: whole seconds or an HTTP-date (RFC 9110 section 10.2.3); undefined for any other text. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const seconds = retryAfterSeconds(header);
  if (seconds !== undefined) return seconds * 1000;
  const text = header?.trim() ?? "";
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
