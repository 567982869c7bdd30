/** Default limits of queries. */
export const SQL_DEFAULTS = {
  /** Milliseconds until a query is interrupted. */
  timeoutMs: 30_000,
  /** Memory of the engine; it never spills to disk. */
  memoryLimit: "1GB",
  /** Maximum characters or items that one call may create by its arguments alone. */
  valueItems: 65_536,
  /** Maximum product of a text's length and its replacement's length. */
  replacedCharacters: 67_108_864,
} as const;
