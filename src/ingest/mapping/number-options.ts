import type { NumberOptions } from "../values/convert.js";
import type { ValueObject, ValueSpec } from "./form/value-spec.js";

/** The options of a value that are about numbers alone. */
const OPTIONS = ["thousands", "decimal", "suffixes", "multiply", "round"] as const;

/** Which of the options about numbers a value has, undefined if none. */
export function numberOptionOf(spec: ValueObject): (typeof OPTIONS)[number] | undefined {
  return OPTIONS.find((option) => spec[option] !== undefined);
}

/** A value without the options about numbers, for what reads them itself. */
export function withoutNumberOptions(spec: ValueSpec): ValueSpec {
  if (typeof spec === "string") return spec;
  const { thousands, decimal, suffixes, multiply, round, ...rest } = spec;
  return rest;
}

/** How a value's numbers are written, and what is done with them. */
export function numberOptions({ thousands, decimal, suffixes, multiply, round }: ValueObject): NumberOptions {
  return { thousands, decimal, suffixes, multiply, round };
}
