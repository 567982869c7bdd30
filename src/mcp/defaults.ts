/** Defaults of the server of the Model Context Protocol. Durations are milliseconds. */
export const MCP_DEFAULTS = {
  /** Path of the server under `serve --mcp`. */
  path: "/mcp",
  /** How long lists that only a new version changes may be kept, and by whom. */
  listHint: { ttlMs: 3_600_000, cacheScope: "public" },
  /** The same of the list of tools: a key's scopes choose them. */
  toolsHint: { ttlMs: 3_600_000, cacheScope: "private" },
  /** How long what a new generation of a lake changes may be kept: it is the key's own. */
  dataHint: { ttlMs: 60_000, cacheScope: "private" },
  /** Datasets of a page of resources; each is two resources. */
  datasetsOfPage: 25,
  /** Completions of an argument, as the specification bounds them. */
  completions: 100,
  /** Most bytes of a request. */
  maxRequestBytes: 1_048_576,
  /** Most bytes of a line of standard input. */
  maxLineBytes: 10_485_760,
  /** How long calls that are under way when standard input ends may take to be answered. */
  lastAnswersMs: 30_000,
  /** Most messages of a batch, as the protocol's handler bounds them. */
  batchMessages: 100,
} as const;
