const counts = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
// A formatter takes a hundred times as long to make as to use.
const decimal = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** `12,345`. */
export const count = (value: number): string => counts.format(value);

/** `12.3K`. */
export const short = (value: number): string =>
  Math.abs(value) < 10_000 ? counts.format(value) : compact.format(value);

/** `1,234.50` of a price, and `12,000`: decimals where there are any, at least two then. */
export const price = (value: number): string => (Number.isInteger(value) ? counts : decimal).format(value);

/** A number of an axis: `0.5`, `250`, `12.3K`. */
export const tick = (value: number): string =>
  Math.abs(value) < 1000 ? String(Number(value.toPrecision(6))) : compact.format(value);

/** `1 record`, `2 records`. */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** `1.2 MB`. */
export function bytes(value: number): string {
  let at = 0;
  let rest = value;
  while (rest >= 1000 && at < UNITS.length - 1) {
    rest /= 1000;
    at++;
  }
  return `${at === 0 ? rest : rest.toFixed(1)} ${UNITS[at]}`;
}

/** `2026-05-29 12:00`, in UTC. */
export const instant = (iso: string): string => iso.slice(0, 16).replace("T", " ");

/** `2026-05-29`. */
export const day = (iso: string): string => iso.slice(0, 10);

/** `0.004` of `0.004000`, with at least two decimals. */
export const usd = (amount: string): string => `$${amount.replace(/(\.\d\d\d*?)0+$/, "$1")}`;

/** `45 %`. */
export const percent = (share: number): string =>
  `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

/** The first characters of a text, at most so many UTF-16 units; no pair of surrogates is cut in two. */
export const cutText = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");

/** `1.2 s` or `45 ms`. */
export const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);
