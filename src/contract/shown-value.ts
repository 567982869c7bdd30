/** Longest text of a value that a message shows, in characters. */
const MAX_SHOWN = 60;

/** A text without the password of an address, such as `clickhouse://user:password@host`. */
export function withoutPassword(text: string): string {
  return text.replace(/(:\/\/[^/?#@:\s]*):[^/?#@\s]*@/g, "$1:…@");
}

/** A value as a message shows it, cut at 60 characters and without passwords of addresses. */
export function shown(value: unknown): string {
  if (typeof value === "string") {
    const text = JSON.stringify(withoutPassword(value));
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  }
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  const type = Object.getPrototypeOf(value)?.constructor?.name ?? "Object";
  return type === "Object" ? "an object" : `an object of type ${type}`;
}
