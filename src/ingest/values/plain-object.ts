/** Whether a value is an object of members, as JSON has them: no list, and of no class. Objects of another realm are such too. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** Name of an object's class, for reasons: `Map`, `Set`; `object` where it says none. */
export function classOf(value: object): string {
  const named = (Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null)?.constructor;
  return typeof named === "function" && named.name !== "" ? named.name : "object";
}
