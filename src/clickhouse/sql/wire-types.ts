/** Types that Arrow has no counterpart for, or another one than a folder's queries give, and what they are sent as. */
const SENT_AS: readonly (readonly [RegExp, string])[] = [
  [/^LowCardinality\((.*)\)$/s, "$1"],
  [/\bLowCardinality\(([A-Za-z0-9]+(?:\([^()]*\))?)\)/g, "$1"],
  [/\bDateTime64\([^()]*\)/g, "DateTime64(6, 'UTC')"],
  [/\bDateTime\b(?:\([^()]*\))?/g, "DateTime64(6, 'UTC')"],
  [/\bDecimal(?:32|64|128|256)?\([^()]*\)/g, "Float64"],
  [/\bEnum(?:8|16)\((?:'(?:[^'\\]|\\.)*' = -?\d+(?:, )?)*\)/g, "String"],
  [/\b(?:UUID|IPv4|IPv6|Interval[A-Za-z]+|Time64\(\d\)|Time|FixedString\(\d+\)|Dynamic|JSON)\b/g, "String"],
  [/\bBFloat16\b/g, "Float32"],
  [/\bU?Int(?:128|256)\b/g, "Int64"],
];

/** The type that a column of a result is sent as in Arrow. @param type as the server names it */
export function wireType(type: string): string {
  return SENT_AS.reduce((text, [pattern, by]) => text.replace(pattern, by), type);
}
