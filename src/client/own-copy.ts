/**
 * Copies an object or a list, and the lists in it, so that its giver may change it at once while a call under way keeps what it was given.
 * Anything else stays as it is, bytes and instances inside too.
 */
export function ownCopy<T>(given: T): T {
  if (typeof given !== "object" || given === null) return given;
  const copy = (Array.isArray(given) ? [...given] : { ...given }) as T & object;
  for (const [name, value] of Object.entries(copy))
    if (Array.isArray(value)) (copy as Record<string, unknown>)[name] = [...value];
  return copy;
}
