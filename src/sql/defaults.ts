/** What a query may take unless told otherwise. */
export const SQL_DEFAULTS = {
  /** Milliseconds until a query is interrupted. */
  timeoutMs: 30_000,
  /** Memory of the engine; it never spills to disk. */
  memoryLimit: "1GB",
  /** Characters or items that one call may make where its arguments alone say how many. */
  valueItems: 65_536,
  /** Characters of a text times those that are put in the place of some of them. */
  replacedCharacters: 67_108_864,
} as const;
