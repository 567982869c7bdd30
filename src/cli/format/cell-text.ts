/** The text of a value of a row in a table or in CSV. Lists and objects are JSON; nothing is the empty text. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value, plainBigInts) : String(value);
}

function plainBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
