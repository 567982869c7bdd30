/** A row or group that cannot become an item: the field at fault and the reason. Becomes a reject; never leaves the adapter. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  /** The field at fault, as a reject names it. */
  readonly field: string;

  /** @param value the value at fault, quoted at the end of the reason, so that reasons can be counted by their rule */
  constructor(field: string, rule: string, value?: unknown) {
    super(value === undefined ? rule : `${rule}, got ${quote(value)}`);
    this.field = field;
  }
}

const MAX_QUOTE = 60;

/** A source value as a reject's reason quotes it. */
export function quote(value: unknown): string {
  const plain = (_: string, member: unknown) => (typeof member === "bigint" ? String(member) : member);
  const text = JSON.stringify(value, plain) ?? String(value);
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE - 1)}…` : text;
}
