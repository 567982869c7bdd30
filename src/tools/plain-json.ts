import type { Json } from "../contract/json.js";
import { TOOL_DEFAULTS } from "./defaults.js";

/**
 * Converts what the service answers to JSON for a model: no vectors, no undefined fields; big integers that are not safe become text, as
 * do dates, and bytes a list of numbers.
 */
export function plainJson(value: unknown): Json {
  return convert(value) ?? null;
}

function convert(value: unknown): Json | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "object":
      return value === null ? null : convertObject(value);
    default:
      return undefined;
  }
}

function convertObject(value: object): Json | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Array.from(value); // a BLOB: no vector is of this type
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || isVector(value)) return undefined;
  if (Array.isArray(value)) return value.map((element) => convert(element) ?? null);
  const entries: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    const converted = key === "vec" ? undefined : convert(member);
    if (converted !== undefined) entries.push([nameOf(key, entries.length), converted]);
  }
  return Object.fromEntries(entries);
}

/** A field's name, at most so long that an answer can always hold it; a cut name says its position, so that two stay two. */
function nameOf(key: string, position: number): string {
  const name = key.isWellFormed() ? key : key.toWellFormed();
  return name.length <= TOOL_DEFAULTS.nameCharacters
    ? name
    : `${name.slice(0, TOOL_DEFAULTS.nameCharacters).toWellFormed()}… (${position})`;
}

function isVector(value: object): boolean {
  return (
    Array.isArray(value) &&
    value.length >= TOOL_DEFAULTS.vectorNumbers &&
    value.every((element) => typeof element === "number")
  );
}
