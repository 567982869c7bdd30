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
  /** The newest shape by number of names, and that of the whole value where members are left out. */
  private readonly shapes: (Shape | undefined)[] = [];
  private root: { readonly shape: Shape; readonly omitted: ReadonlySet<string> } | undefined;

  /** Writes an object without those of its own members that have such names. @throws Fault as {@link CanonicalWriter.write} */
  writeWithout(value: Readonly<Record<string, unknown>>, omitted: ReadonlySet<string>): string {
    const names = Object.keys(value);
    if (this.root?.omitted !== omitted || !sameNames(this.root.shape.names, names)) {
      const sorted = this.sorted(names.filter((name) => !omitted.has(name)));
      this.root = { shape: { names, sorted }, omitted };
    }
    return this.members(value, this.root.shape);
  }

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

  private members(
    value: Readonly<Record<string, unknown>>,
    shape: Shape = this.shapeOf(Object.keys(value)),
  ): string {
    let out = "";
    for (const { name, text } of shape.sorted) {
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
    if (known !== undefined && sameNames(known.names, names)) return known;
    const shape = { names, sorted: this.sorted(names) };
    if (names.length <= MOST_NAMES) this.shapes[names.length] = shape;
    return shape;
  }

  private sorted(names: readonly string[]): Shape["sorted"] {
    // Array.prototype.sort compares UTF-16 code units, as RFC 8785 section 3.2.3 asks.
    return [...names].sort().map((name) => ({ name, text: `${this.write(name)}:` }));
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
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

/**
 * The canonical JSON text of an object without some of its own members; those of its members' objects stay.
 * @throws MirrorlakeError `not_canonical_json`
 */
export function canonicalJsonWithout(value: object, omitted: ReadonlySet<string>): string {
  const members = value as Readonly<Record<string, unknown>>;
  try {
    return WRITER.writeWithout(members, omitted);
  } catch (error) {
    if (error instanceof Fault)
      refuse(Object.fromEntries(Object.entries(members).filter(([name]) => !omitted.has(name))), "");
    throw error;
  }
}
