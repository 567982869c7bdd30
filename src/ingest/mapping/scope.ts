/** What values are read from. */
export interface Scope {
  /** The row, the element of an `each`, or the aggregates of a group. */
  readonly row: unknown;
  /** The row around the element. */
  readonly outer?: unknown;
  /** Position of the element, from 0. */
  readonly index?: number;
  /** The record that the same rule made. */
  readonly record?: unknown;
  readonly authorSalt: string;
}

/** Gives a field's value in a scope, undefined where it has none. Throws a FieldError where the value does not fit. */
export type Value = (scope: Scope) => unknown;

/** Reads from a scope what a path leads to, unconverted. */
export type Reader = (scope: Scope) => unknown;

/** Where in the mapping a value stands. */
export type Place = readonly PropertyKey[];
