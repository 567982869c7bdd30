/** Defaults and limits of tools for models. Durations are milliseconds. */
export const TOOL_DEFAULTS = {
  /** Tokens of an answer, as `countTokens` counts them, and the bounds of that option. */
  tokens: 8_000,
  minTokens: 1_000,
  maxTokens: 25_000,
  /** Time of a call, and the most that can be chosen: clients hang up after 60 s. */
  deadlineMs: 25_000,
  maxDeadlineMs: 25_000,
  /** Records of a search, items of a page, rows of a query. */
  records: 10,
  items: 20,
  rows: 50,
  maxRows: 1_000,
  /** How far back a search looks: the whole range of the service, because a lake is rarely of today. */
  freshness: "90d",
  /** Rows of a query that are counted after the last one shown. */
  countedRows: 10_000,
  /** Code units of an answer that are written before other work gets its turn: a few milliseconds. */
  unitsPerTurn: 16_384,
  /** Elements, and code units of each, of a list or an object that is written at once. */
  smallElements: 64,
  smallText: 200,
  /** Hexadecimal digits of a record's hash in its citation. */
  citedDigits: 16,
  /** Characters of a field's name. */
  nameCharacters: 100,
  /** From so many numbers a list is a vector, which no answer has. */
  vectorNumbers: 128,
} as const;
