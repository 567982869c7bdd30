/**
 * `String` of a row's value without calling the value: an object's own `toString` may be anything, and `String` throws if it is
 * not a function.
 */
export function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => plainText(item ?? "")).join(",");
  const isObject = typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
  return isObject ? "[object Object]" : String(value);
}
