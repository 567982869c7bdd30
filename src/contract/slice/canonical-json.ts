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

/** Objects with more names are sorted each time. */
const MOST_NAMES = 64;

class Fault extends Error {}

/** Names of an object's members, sorted, each with its JSON text. */
interface Shape {
  /** The names in the object's own order. */
  readonly names: readonly string[];
  readonly sorted: readonly { readonly name: string; readonly text: string }[];
}

/** Writes one value. Objects with the names of an earlier one, as the items of a page have, are not sorted again. */
class CanonicalWriter {
  /** The newest shape by number of names. */
  private readonly shapes: (Shape | undefined)[] = [];

  /** @throws Fault for a value outside I-JSON */
  write(value: unknown): string {
    switch (typeof value) {
      case "string":
        if (!value.isWellFormed()) throw new Fault();
        return JSON.stringify(value);
      case "number":
        if (!Number.isFinite(value)) throw new Fault();
        // RFC 8785 section 3.2.2.3 prescribes ECMAScript's Number::toString; -0 is written 0.
        return `${value}`;
      case "boolean":
        return value ? "true" : "false";
      default:
        if (value === null) return "null";
        if (Array.isArray(value)) return this.items(value);
        if (faultOf(value) !== undefined) throw new Fault();
        return this.members(value as Readonly<Record<string, unknown>>);
    }
  }

  private members(value: Readonly<Record<string, unknown>>): string {
    let out = "";
    for (const { name, text } of this.shapeOf(Object.keys(value)).sorted) {
      const member = value[name];
      if (member === undefined) continue;
      out += out === "" ? text : `,${text}`;
      out += this.write(member);
    }
    return `{${out}}`;
  }

  private items(value: readonly unknown[]): string {
    let out = "";
    for (let i = 0; i < value.length; i++) out += i === 0 ? this.write(value[i]) : `,${this.write(value[i])}`;
    return `[${out}]`;
  }

  private shapeOf(names: readonly string[]): Shape {
    const known = this.shapes[names.length];
    if (known?.names.every((name, i) => name === names[i]) === true) return known;
    // Array.prototype.sort compares UTF-16 code units, as RFC 8785 section 3.2.3 asks.
    const sorted = [...names].sort().map((name) => ({ name, text: `${this.write(name)}:` }));
    const shape = { names, sorted };
    if (names.length <= MOST_NAMES) this.shapes[names.length] = shape;
    return shape;
  }
}

/** Remembers names alone: the records of a slice have the same. */
const WRITER = new CanonicalWriter();

/** Walks a value as the writer does and throws at its first fault. Paths are built here only: good values pay nothing for them. */
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
    return WRITER.write(value);
  } catch (error) {
    if (error instanceof Fault) refuse(value, "");
    throw error;
  }
}
