import { types } from "node:util";
import { setMember } from "../../contract/own-member.js";
import { FieldError } from "./field-error.js";
import { classOf, isPlainObject } from "./plain-object.js";

/**
 * A copy of a program's row as a JSON file would give it: a date is its ISO 8601 text, an object with `toJSON` is what that says, a
 * bigint beyond ±(2^53 − 1) is its digits. The row itself may be of a class: its own members count. Typed arrays stay lists of
 * numbers. What is left as it is, an invalid date or an object of another class, is refused where a mapping uses it.
 * @throws FieldError if the row is nested deeper than `maxDepth` levels, cannot be read, or is no value that a file could hold
 */
export function copyRow(row: unknown, maxDepth: number): unknown {
  let copied: unknown;
  try {
    copied = isRecordOfClass(row) ? copyMembers(row, maxDepth - 1, maxDepth) : copy(row, maxDepth, maxDepth);
  } catch (error) {
    if (error instanceof FieldError) throw error;
    throw new FieldError("", `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof copied === "object" && copied !== null && !Array.isArray(copied) && !isPlainObject(copied)) {
    throw new FieldError("", `is of the class ${classOf(copied)}, not a plain object`);
  }
  return copied;
}

/** Whether a row is of a class of its own, as those of some databases are, and not a map, a set, a date. */
function isRecordOfClass(row: unknown): row is object {
  return (
    Object.prototype.toString.call(row) === "[object Object]" &&
    !isPlainObject(row) &&
    typeof (row as { readonly toJSON?: unknown }).toJSON !== "function"
  );
}

function copy(value: unknown, levels: number, maxDepth: number): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) throw new FieldError("", `is nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) {
    const out: unknown[] = [];
    for (const item of value) out.push(copy(item, levels - 1, maxDepth));
    return out;
  }
  if (ArrayBuffer.isView(value)) return copyOfNumbers(value);
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? value : value.toISOString();
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") {
    const said: unknown = toJSON.call(value, "");
    return said === value ? value : copy(said, levels - 1, maxDepth);
  }
  return isPlainObject(value) ? copyMembers(value, levels - 1, maxDepth) : value;
}

function copyMembers(value: object, levels: number, maxDepth: number): object {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = copy((value as Readonly<Record<string, unknown>>)[key], levels, maxDepth);
    if (member !== undefined) setMember(out, key, member);
  }
  return out;
}

/** A typed array of its own; a view that is no list stays, to be refused. */
function copyOfNumbers(view: ArrayBufferView): unknown {
  if (view instanceof Uint8Array) return new Uint8Array(view);
  return view instanceof DataView ? view : (view as Float64Array).slice();
}
