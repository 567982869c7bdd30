import { VECTOR_DIMENSIONS } from "../../contract/service/unified-record.js";
import { FieldError } from "./field-error.js";

/**
 * Converts a downloaded vector to the form stored in slices.
 * @throws FieldError unless it has 1536 finite numbers (service.md section 8), not all zero
 */
export function toVector(value: unknown, field: string): Float32Array {
  if (!isList(value)) throw new FieldError(field, "is not a list of numbers", value);
  if (value.length !== VECTOR_DIMENSIONS) {
    throw new FieldError(field, `does not have ${VECTOR_DIMENSIONS} numbers`, value.length);
  }
  const vector = new Float32Array(VECTOR_DIMENSIONS);
  let sum = 0;
  for (let i = 0; i < VECTOR_DIMENSIONS; i++) {
    const number = value[i];
    const single = typeof number === "number" ? Math.fround(number) : Number.NaN;
    if (!Number.isFinite(single))
      throw new FieldError(field, "has a value that is not a finite number", number);
    vector[i] = single;
    sum += single * single;
  }
  if (sum === 0) throw new FieldError(field, "is all zero");
  return vector;
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}
