import { SLICE_LIMITS } from "./defaults.js";

/** What is wrong with a value: its path, what it is, and the rule that it breaks. */
export interface Fault {
  /** Path of the member, such as `author.followers`; empty for the whole. */
  readonly field: string;
  readonly value: unknown;
  /** The rule, as in `must be at least 0`. */
  readonly rule: string;
}

/**
 * The first fault of a JSON value that TypeScript's types do not say: a number that is not finite, half a surrogate pair, a member
 * named `__proto__`, too many levels. Each would be read back as something else, or not at all.
 */
export function jsonFault(value: unknown, depth = 0): Fault | undefined {
  if (typeof value === "string")
    return value.isWellFormed() ? undefined : { field: "", value, rule: "must be well-formed text" };
  if (typeof value === "number")
    return Number.isFinite(value) ? undefined : { field: "", value, rule: "must be a finite number" };
  if (typeof value !== "object" || value === null) return undefined;
  if (depth === SLICE_LIMITS.jsonDepth) {
    return { field: "", value: undefined, rule: `must have at most ${depth} levels of arrays and objects` };
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = jsonFault(value[i], depth + 1);
      if (fault !== undefined) return { ...fault, field: fieldOf(String(i), fault) };
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const fault =
      key === "__proto__" || !key.isWellFormed()
        ? { field: "", value: key, rule: "must have another name" }
        : jsonFault((value as Readonly<Record<string, unknown>>)[key], depth + 1);
    if (fault !== undefined) return { ...fault, field: fieldOf(key, fault) };
  }
  return undefined;
}

function fieldOf(key: string, { field }: Fault): string {
  return field === "" ? key : `${key}.${field}`;
}

/** The fault of a text that is longer than a slice can hold. */
export function longTextFault(field: string, text: string | undefined): Fault | undefined {
  const { textBytes } = SLICE_LIMITS;
  if (text === undefined || text.length * 3 <= textBytes || Buffer.byteLength(text) <= textBytes)
    return undefined;
  return { field, value: `${text.length} characters`, rule: `must have at most ${textBytes} bytes` };
}
