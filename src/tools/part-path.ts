import { UsageError } from "../contract/errors.js";
import type { Json } from "../contract/json.js";

/**
 * A place within a record where an answer was cut, by positions instead of names: names of fields are data, which stays inside the mark.
 */
export interface Part {
  /** Position of the field or element in each container on the way, from 0. */
  readonly path: readonly number[];
  /** Code units of a text, elements of a list, or fields of an object, that came before. */
  readonly from: number;
}

/** Writes a part: `/5/3@600`. */
export function formatPart({ path, from }: Part): string {
  return `${path.map((position) => `/${position}`).join("")}@${from}`;
}

/** Reads a part. @throws UsageError `invalid_part` */
export function parsePart(text: string): Part {
  const match = /^((?:\/[0-9]{1,9}){0,50})@([0-9]{1,9})$/.exec(text);
  if (match === null) throw invalidPart(text);
  return { path: match[1]!.split("/").slice(1).map(Number), from: Number(match[2]) };
}

/** What stands at the place of a part: the rest of a text, a list or an object. @throws UsageError `invalid_part` */
export function restAt(record: Json, part: Part): Json {
  let value: Json | undefined = record;
  for (const position of part.path) {
    if (typeof value !== "object" || value === null) throw invalidPart(formatPart(part));
    value = Object.values(value as Readonly<Record<string, Json>>)[position];
    if (value === undefined) throw invalidPart(formatPart(part));
  }
  if (typeof value === "string") return value.slice(part.from);
  if (Array.isArray(value)) return value.slice(part.from) as Json[];
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).slice(part.from));
  throw invalidPart(formatPart(part));
}

function invalidPart(text: string): UsageError {
  return new UsageError("invalid_part", `The record has no part ${text}`, {
    value: text,
    remedy: "Give part as the answer's next call has it, with the same other arguments.",
  });
}
