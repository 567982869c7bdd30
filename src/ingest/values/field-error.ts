/** A row or group that cannot become an item: the offending field and the reason. It becomes a reject and never leaves the adapter. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  /** The offending field, as a reject names it. */
  readonly field: string;

  /** @param value the offending value, quoted at the end of the reason, so that reasons can be counted by rule */
  constructor(field: string, rule: string, value?: unknown) {
    super(value === undefined ? rule : `${rule}, got ${quote(value)}`);
    this.field = field;
  }
}

const MAX_QUOTE = 60;

/** Quotes a source value for a reject's reason. */
export function quote(value: unknown): string {
  if (isNotFinite(value)) return String(value);
  const plain = (_: string, member: unknown) =>
    typeof member === "bigint" || isNotFinite(member) ? String(member) : member;
  const text = JSON.stringify(value, plain) ?? String(value);
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE - 1)}…` : text;
}

/** Whether it is NaN or an infinity, which JSON writes as null. */
function isNotFinite(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}
