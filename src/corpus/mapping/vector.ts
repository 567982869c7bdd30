import { VECTOR_DIMENSIONS } from "../../contract/records.js";
import { FieldError } from "./field-error.js";

/**
 * A downloaded vector as slices store it.
 * @throws FieldError unless it is 1536 finite numbers (service.md section 8), not all of them zero.
 */
export function toVector(value: unknown, field: string): Float32Array {
  const numbers =
    Array.isArray(value) || (ArrayBuffer.isView(value) && Symbol.iterator in value)
      ? Array.from(value as Iterable<unknown>)
      : undefined;
  if (numbers === undefined) throw new FieldError(field, "is not a list of numbers", value);
  if (numbers.length !== VECTOR_DIMENSIONS) {
    throw new FieldError(field, `has not ${VECTOR_DIMENSIONS} numbers`, numbers.length);
  }
  const vector = new Float32Array(VECTOR_DIMENSIONS);
  let sum = 0;
  for (const [i, number] of numbers.entries()) {
    vector[i] = typeof number === "number" ? number : Number.NaN;
    if (!Number.isFinite(vector[i])) throw new FieldError(field, "holds what is not a finite number", number);
    sum += vector[i]! * vector[i]!;
  }
  if (sum === 0) throw new FieldError(field, "is all zero");
  return vector;
}
