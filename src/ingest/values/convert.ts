import { types } from "node:util";
import type { Json } from "../../contract/json.js";
import { setMember } from "../../contract/own-member.js";
import { roundTo } from "../../contract/round-to.js";
import { FieldError, isNotFinite } from "./field-error.js";
import { type NumberFormat, parseNumber } from "./number.js";
import { isPlainObject } from "./plain-object.js";
import { plainText } from "./plain-text.js";
import { cleanText } from "./text.js";

/** Type of a target field. `extra`: a scalar or a list of scalars, as the `extra` of a record has them. */
export type TargetType = "string" | "integer" | "number" | "boolean" | "list" | "json" | "extra";

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  "1": true,
  "0": false,
  yes: true,
  no: false,
};

/** Cleaned text of a scalar. @throws FieldError for a list or an object */
export function toText(value: unknown, field: string): string {
  if (typeof value === "string") return cleanText(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  throw new FieldError(field, "is not text", value);
}

/** Parsing and scaling of numbers. */
export interface NumberOptions extends NumberFormat {
  readonly multiply?: number | undefined;
  readonly round?: number | undefined;
}

/** A finite number. @throws FieldError if the value is not a number, or not an integer where `whole` */
export function toNumber(value: unknown, whole: boolean, field: string, options: NumberOptions): number {
  const parsed = parseNumber(value, options);
  if (parsed === undefined) throw new FieldError(field, "is not a number", value);
  const scaled = options.multiply === undefined ? parsed : parsed * options.multiply;
  const rounded = options.round === undefined ? scaled : roundTo(scaled, options.round);
  if (whole && !Number.isSafeInteger(rounded)) throw new FieldError(field, "is not an integer", value);
  return rounded;
}

/** A boolean from JSON's, 0 and 1, yes and no. @throws FieldError otherwise */
export function toBoolean(value: unknown, field: string): boolean {
  const found = BOOLEANS[plainText(value).trim().toLowerCase()];
  if (found === undefined) throw new FieldError(field, "is not true or false", value);
  return found;
}

/**
 * A JSON value with cleaned text and without undefined members; a number that is NaN or infinite is null.
 * @param onNotFinite called for each such number
 * @throws FieldError if JSON cannot represent it
 */
export function toJson(value: unknown, field: string, onNotFinite?: () => void): Json {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return cleanText(value);
  if (typeof value === "number") {
    if (Number.isFinite(value)) return value;
    onNotFinite?.();
    return null;
  }
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (isList(value)) {
    return Array.from(value, (item) => toJson(item ?? null, field, onNotFinite));
  }
  if (types.isDate(value)) throw new FieldError(field, "is an invalid date");
  if (isPlainObject(value)) {
    return membersToJson(value, field, onNotFinite);
  }
  throw new FieldError(field, "is not a JSON value", value);
}

/**
 * A value of a record's `extra`: as {@link toJson} has it, but a list without the numbers that are NaN or infinite, since none of its members may
 * be null.
 * @param onNotFinite called for each such number
 * @returns undefined for a list of which nothing is left
 * @throws FieldError if JSON cannot represent it
 */
export function toExtra(value: unknown, field: string, onNotFinite: () => void): Json | undefined {
  if (!isList(value)) return toJson(value, field, onNotFinite);
  const members: unknown[] = [];
  let lost = false;
  for (const member of value) {
    if (!isNotFinite(member)) members.push(member);
    else {
      lost = true;
      onNotFinite();
    }
  }
  return lost && members.length === 0 ? undefined : toJson(members, field);
}

/** Whether it is an array, or a typed one. */
function isList(value: unknown): value is Iterable<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && Symbol.iterator in value);
}

function membersToJson(object: object, field: string, onNotFinite: (() => void) | undefined): Json {
  const out: Record<string, Json> = {};
  let kept = 0;
  let renamed = false;
  for (const [key, member] of Object.entries(object)) {
    if (member === undefined) continue;
    const name = cleanText(key);
    kept += 1;
    renamed ||= name !== key;
    setMember(out, name, toJson(member, field, onNotFinite));
  }
  if (renamed && Object.keys(out).length < kept)
    throw new FieldError(
      field,
      "has members whose names are the same without controls and spaces around them",
    );
  return out;
}
