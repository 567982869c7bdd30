/** Defaults of the server of the Model Context Protocol. Durations are milliseconds. */
export const MCP_DEFAULTS = {
  /** How long lists that only a new version changes may be kept, and by whom. */
  listHint: { ttlMs: 3_600_000, cacheScope: "public" },
} as const;
