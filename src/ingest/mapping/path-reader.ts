import { parsePath, readPath } from "../values/path.js";
import { jsonPath } from "./form/schema.js";
import type { PathAudit, Use } from "./path-audit.js";
import { placeReader } from "./place-of-row.js";
import type { Place, Reader } from "./scope.js";

/** Reads a path in a row, and notes whether it leads to something. */
export type RowReader = (row: unknown, audit: PathAudit | undefined) => unknown;

/**
 * Compiles a path of a row.
 * @param field what a warning calls the field that the path is for
 * @throws MappingError `invalid_path`
 */
export function rowReader(text: string, place: Place, field: string): RowReader {
  const path = parsePath(text, jsonPath(place));
  const use: Use = { text, field, place };
  return (row, audit) => {
    const value = readPath(row, path);
    audit?.note(use, path.many ? (value as readonly unknown[]).length > 0 : value !== undefined, row);
    return value;
  };
}

/** Compiles one path: of the row, of the enclosing row (`^.`), the element's position (`#`), or the row's place (`@file`, …). */
export function reader(text: string, place: Place, field: string): Reader {
  if (text === "#") return (scope) => scope.index;
  const ofPlace = placeReader(text);
  if (ofPlace !== undefined) return ofPlace;
  const outer = text.startsWith("^.") || text === "^";
  if (!outer) {
    const read = rowReader(text, place, field);
    return ({ row, audit }) => read(row, audit);
  }
  const read = rowReader(text.slice(2) || "$", place, field);
  return (scope) => read(scope.outer, scope.audit);
}
