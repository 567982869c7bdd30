/**
 * `String` of a row's value without calling the value: an object's own `toString` may be anything, and `String` throws if it is
 * not a function.
 */
export function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => plainText(item ?? "")).join(",");
  return isPlainObject(value) ? "[object Object]" : String(value);
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
