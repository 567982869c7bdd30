import { types } from "node:util";
import { classOf, isPlainObject } from "./plain-object.js";

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

/** Quotes a source value for a reject's reason; an object of a class is its name. */
export function quote(value: unknown): string {
  if (isNotFinite(value)) return String(value);
  // JSON has asked a member's toJSON already; what it was is in its holder.
  function plain(this: unknown, key: string, told: unknown): unknown {
    const member = (this as Readonly<Record<string, unknown>>)[key];
    if (isOfClass(member)) return named(member);
    return typeof told === "bigint" || isNotFinite(told) ? String(told) : told;
  }
  if (isOfClass(value)) return named(value);
  const text = JSON.stringify(value, plain) ?? String(value);
  return text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE - 1)}…` : text;
}

/** Whether it is NaN or an infinity, which JSON writes as null. */
export function isNotFinite(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

function isOfClass(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPlainObject(value);
}

function named(value: object): string {
  return types.isDate(value) && Number.isNaN(value.getTime()) ? "[invalid date]" : `[${classOf(value)}]`;
}
