import type { PathAudit } from "./path-audit.js";

/** Values that a mapping reads from. */
export interface Scope {
  /** The row, the element of an `each`, or the aggregates of a group. */
  readonly row: unknown;
  /** The row that contains the element. */
  readonly outer?: unknown;
  /** 0-based position of the element. */
  readonly index?: number;
  /** The record created by the same rule. */
  readonly record?: unknown;
  readonly authorSalt: string;
  /** Name of the file that the row is in, as in rejects: `dir/a.jsonl`, `a.zip!dir/b.jsonl`. */
  readonly file?: string;
  /** 1-based line of the row. */
  readonly line?: number;
  /** 1-based position of the row among those of a JSON document. */
  readonly element?: number | undefined;
  /** Notes what the mapping's paths lead to. */
  readonly audit?: PathAudit;
  /** Capture time that the caller gave for all rows, ISO 8601. */
  readonly capturedAt?: string | undefined;
}

/** Returns a field's value in a scope, undefined if there is none. @throws FieldError if the value does not fit */
export type Value = (scope: Scope) => unknown;

/** Reads a path from a scope, unconverted. */
export type Reader = (scope: Scope) => unknown;

/** Place of a value in the mapping. */
export type Place = readonly PropertyKey[];
