import { MirrorlakeError } from "../errors.js";

/** What keeps a value from having canonical JSON, its members and items apart; `undefined` where nothing does. */
function faultOf(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "a lone surrogate";
    case "number":
      return Number.isFinite(value) ? undefined : "a number that is not finite";
    case "boolean":
      return undefined;
    case "object": {
      if (value === null || Array.isArray(value)) return undefined;
      const prototype = Object.getPrototypeOf(value);
      if (prototype === Object.prototype || prototype === null) return undefined;
      return "an object that is not plain";
    }
    default:
      return `a ${typeof value}`;
  }
}

class Fault extends Error {}

function checked(value: unknown): void {
  if (faultOf(value) !== undefined) throw new Fault();
}

function members(value: Readonly<Record<string, unknown>>): string {
  let out = "";
  // Array.prototype.sort compares UTF-16 code units, as RFC 8785 section 3.2.3 asks.
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    checked(key);
    out += `${out === "" ? "" : ","}${JSON.stringify(key)}:${write(member)}`;
  }
  return `{${out}}`;
}

function items(value: readonly unknown[]): string {
  let out = "";
  for (let i = 0; i < value.length; i++) out += i === 0 ? write(value[i]) : `,${write(value[i])}`;
  return `[${out}]`;
}

function write(value: unknown): string {
  checked(value);
  if (typeof value !== "object" || value === null) {
    // RFC 8785 section 3.2.2.3 prescribes ECMAScript's Number::toString; -0 is written 0.
    return JSON.stringify(value);
  }
  return Array.isArray(value) ? items(value) : members(value as Readonly<Record<string, unknown>>);
}

/** Walks a value as `write` does and throws at its first fault. Paths are built here only: good values pay nothing for them. */
function refuse(value: unknown, path: string): void {
  const fault = faultOf(value);
  if (fault !== undefined) {
    throw new MirrorlakeError(
      "not_canonical_json",
      `${fault} at ${path || "the root"} has no canonical JSON`,
      {
        value,
        remedy:
          "Hash only I-JSON values: finite numbers, well-formed strings, booleans, null, arrays, plain objects.",
      },
    );
  }
  if (Array.isArray(value)) Array.from(value, (item, i) => refuse(item, `${path}[${i}]`));
  else if (typeof value === "object" && value !== null) {
    const object = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(object).sort()) {
      if (object[key] === undefined) continue;
      const at = path === "" ? key : `${path}.${key}`;
      refuse(key, at);
      refuse(object[key], at);
    }
  }
}

/**
 * The canonical JSON text of a value: RFC 8785 (JCS). Undefined members are omitted, as in JSON.
 * @throws MirrorlakeError `not_canonical_json` for values outside I-JSON: non-finite numbers, lone surrogates, bigints,
 * functions, undefined outside an object, objects that are not plain
 */
export function canonicalJson(value: unknown): string {
  try {
    return write(value);
  } catch (error) {
    if (error instanceof Fault) refuse(value, "");
    throw error;
  }
}
