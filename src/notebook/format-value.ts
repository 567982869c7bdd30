/** Display kind of a column. */
export type ColumnKind = "text" | "number" | "time" | "day" | "flag" | "id" | "record";

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ID = /(^|[._])(id|cid|uid|root|hash)$|_(id|hash)$/;

/** The kind that fits every value of a column; the key distinguishes ids from other text. */
export function kindOf(key: string, values: readonly unknown[]): ColumnKind {
  const present = values.filter((value) => value !== null && value !== undefined);
  const all = (test: (value: unknown) => boolean) => present.length > 0 && present.every(test);
  if (all((value) => typeof value === "number" || typeof value === "bigint")) return "number";
  if (all((value) => typeof value === "boolean")) return "flag";
  if (all((value) => value instanceof Date || (typeof value === "string" && INSTANT.test(value))))
    return present.every((value) => msOf(value) % DAY_MS === 0) ? "day" : "time";
  if (all((value) => typeof value === "string" && DAY.test(value))) return "day";
  return ID.test(key) ? "id" : "text";
}

/** Decimal places of a column of numbers: none for integers, up to two, up to four if all are small. */
export function digitsOf(values: readonly unknown[]): number {
  const numbers = values.filter(
    (value): value is number => typeof value === "number" && Number.isFinite(value),
  );
  const most = Math.max(0, ...numbers.map(Math.abs));
  const limit = most > 0 && most < 0.1 ? 4 : 2;
  return Math.max(0, ...numbers.map((value) => decimalsOf(value, limit)));
}

function decimalsOf(value: number, limit: number): number {
  for (let digits = 0; digits < limit; digits++) if (Number(value.toFixed(digits)) === value) return digits;
  return limit;
}

/** A number with thousands separators, a true minus sign, and fixed decimal places. */
export function formatNumber(value: number | bigint, digits = 0): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const text = new Intl.NumberFormat("en-US", typeof value === "bigint" ? {} : options).format(value);
  return text.replace(/^-/, Number(text.replaceAll(",", "")) === 0 ? "" : "\u2212");
}

const DAY_MS = 86_400_000;

function msOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Date.parse(String(value));
}

/** A day as `2026-05-29`, in UTC. */
export function formatDay(value: unknown): string {
  return formatTime(value).slice(0, 10);
}

/** An instant as `2026-05-29 12:00`, in UTC; other values as text. */
export function formatTime(value: unknown): string {
  const ms = msOf(value);
  return Number.isNaN(ms) ? String(value) : new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}

/** A value that is neither number nor time, as text: short lists in full, long ones cut with their length. */
export function formatText(value: unknown): string {
  if (typeof value === "string") return value;
  if (ArrayBuffer.isView(value) && "length" in value) return `${String(value.length)} numbers`;
  if (Array.isArray(value)) return formatList(value);
  if (value instanceof Date) return formatTime(value);
  if (typeof value === "object" && value !== null) return JSON.stringify(value, bigintAsText);
  return String(value);
}

function formatList(values: readonly unknown[]): string {
  if (values.length > 8 && values.every((value) => typeof value === "number"))
    return `${values.length} numbers`;
  const shown = values.slice(0, 6).map(formatText).join(", ");
  return values.length > 6 ? `${shown}, … (${values.length})` : shown;
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
