/** A text as SQL of ClickHouse has it. */
export function quoteClickHouse(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** The name of a column in backquotes. */
export function quoteColumn(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

const pathOf = (json: string, path: readonly string[]) => [json, ...path.map(quoteClickHouse)].join(", ");

/** A member of a JSON text, of the type that it is known to have; NULL where it is absent. */
export function jsonMember(
  json: string,
  type: "String" | "Int64" | "Float64" | "Bool",
  ...path: string[]
): string {
  return `JSONExtract(${pathOf(json, path)}, 'Nullable(${type})')`;
}

/** A list of texts; empty where it is absent. */
export function jsonTexts(json: string, ...path: string[]): string {
  return `JSONExtract(${pathOf(json, path)}, 'Array(String)')`;
}

/** A member as text, whatever it is: a number or a list as JSON has it; NULL where it is absent. */
export function jsonText(json: string, ...path: string[]): string {
  const at = pathOf(json, path);
  return `multiIf(JSONType(${at}) = 'String', toNullable(JSONExtractString(${at})), JSONType(${at}) = 'Null', NULL, JSONExtractRaw(${at}))`;
}

/** Conversions of a text that may be none, by the types of the views. */
const CONVERSIONS: Readonly<Record<string, (text: string) => string>> = {
  VARCHAR: (text) => text,
  BIGINT: (text) =>
    `ifNull(toInt64OrNull(${text}), accurateCastOrNull(round(toFloat64OrNull(${text})), 'Int64'))`,
  DOUBLE: (text) => `toFloat64OrNull(${text})`,
  BOOLEAN: (text) =>
    `transform(lower(${text}), ['true', 't', '1', 'yes', 'y', 'false', 'f', '0', 'no', 'n'],
      [true, true, true, true, true, false, false, false, false, false]::Array(Nullable(Bool)), NULL)`,
};

/** A member of a raw item's JSON as a view has it: what cannot be of the type is NULL. */
export function convertedMember(json: string, type: string, path: readonly string[]): string {
  return CONVERSIONS[type]!(jsonText(json, ...path));
}

/** An instant in UTC, of epoch milliseconds: with microseconds, as a folder's instants have. */
export function instantSql(ms: string): string {
  return `fromUnixTimestamp64Micro(1000 * ${ms}, 'UTC')`;
}
