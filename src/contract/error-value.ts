import { shown, withoutPassword } from "./shown-value.js";

/** Names of members whose values must not appear in an error. */
export const SECRET = /key$|salt$|token$|secret$/i;

const MAX_DEPTH = 8;

/**
 * The value that an error carries for an argument. Errors are printed with what they carry, so an object that is more than plain data,
 * such as a lake with its key, is named by its kind: `an object`. An address has no password.
 */
export function errorValue(value: unknown): unknown {
  if (typeof value === "string") return withoutPassword(value);
  return isPlainData(value, 0) ? value : shown(value);
}

function isPlainData(value: unknown, depth: number): boolean {
  if (typeof value === "function") return depth === 0;
  if (typeof value === "string") return withoutPassword(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (value instanceof Date) return true;
  if (value instanceof URL) return value.username === "" && value.password === "";
  if (depth === MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isPlainData(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.entries(value).every(
    ([name, member]) => !SECRET.test(name) && isPlainData(member, depth + 1),
  );
}
