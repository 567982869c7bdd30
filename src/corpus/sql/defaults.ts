/** What a query may take unless told otherwise. */
export const SQL_DEFAULTS = {
  /** Milliseconds until a query is interrupted. */
  timeoutMs: 30_000,
  /** Memory of the engine; it never spills to disk. */
  memoryLimit: "1GB",
} as const;
