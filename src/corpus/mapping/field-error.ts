/** A row or group that cannot become an item: the field at fault and the reason. Becomes a reject; never leaves the adapter. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  readonly field: string;

  /** @param value the value at fault, quoted at the end of the reason, so that reasons can be counted by their rule */
  constructor(field: string, rule: string, value?: unknown) {
    super(value === undefined ? rule : `${rule}, got ${quote(value)}`);
    this.field = field;
  }
}

/** A source value as a reject's reason quotes it. */
export function quote(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(JSON.stringify(value) ?? value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
