import type { NumberOptions } from "../values/convert.js";
import type { ValueObject } from "./form/value-spec.js";

/** How a value's numbers are written, and what is done with them. */
export function numberOptions({ thousands, decimal, suffixes, multiply, round }: ValueObject): NumberOptions {
  return { thousands, decimal, suffixes, multiply, round };
}
