import type { Json } from "../contract/json.js";
import { TOOL_DEFAULTS } from "./defaults.js";

/**
 * Converts what the service answers to JSON for a model: no vectors, no undefined fields; big integers that are not safe become text, as
 * do dates.
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
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || isVector(value)) return undefined;
  if (Array.isArray(value)) return value.map((element) => convert(element) ?? null);
  const entries: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    const converted = key === "vec" ? undefined : convert(member);
    if (converted !== undefined) entries.push([key, converted]);
  }
  return Object.fromEntries(entries);
}

function isVector(value: object): boolean {
  return (
    Array.isArray(value) &&
    value.length >= TOOL_DEFAULTS.vectorNumbers &&
    value.every((element) => typeof element === "number")
  );
}
