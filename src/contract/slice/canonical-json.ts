import { MirrorlakeError } from "../errors.js";

function refuse(value: unknown, path: string, what: string): never {
  throw new MirrorlakeError("not_canonical_json", `${what} at ${path || "the root"} has no canonical JSON`, {
    value,
    remedy:
      "Hash only I-JSON values: finite numbers, well-formed strings, booleans, null, arrays, plain objects.",
  });
}

function text(value: string, path: string): string {
  if (!value.isWellFormed()) refuse(value, path, "a lone surrogate");
  return JSON.stringify(value);
}

function write(value: unknown, path: string): string {
  switch (typeof value) {
    case "string":
      return text(value, path);
    case "number":
      // RFC 8785 section 3.2.2.3 prescribes ECMAScript's Number::toString; -0 is written 0.
      return Number.isFinite(value)
        ? JSON.stringify(value)
        : refuse(value, path, "a number that is not finite");
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) {
        return `[${Array.from(value, (item, i) => write(item, `${path}[${i}]`)).join(",")}]`;
      }
      return object(value as Readonly<Record<string, unknown>>, path);
    default:
      return refuse(value, path, `a ${typeof value}`);
  }
}

function object(value: Readonly<Record<string, unknown>>, path: string): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    refuse(value, path, "an object that is not plain");
  const members: string[] = [];
  // Array.prototype.sort compares UTF-16 code units, as RFC 8785 section 3.2.3 asks.
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    const at = path === "" ? key : `${path}.${key}`;
    members.push(`${text(key, at)}:${write(member, at)}`);
  }
  return `{${members.join(",")}}`;
}

/**
 * The canonical JSON text of a value: RFC 8785 (JCS). Undefined members are omitted, as in JSON.
 * @throws MirrorlakeError `not_canonical_json` for values outside I-JSON: non-finite numbers, lone surrogates, bigints,
 * functions, undefined outside an object, objects that are not plain
 */
export function canonicalJson(value: unknown): string {
  return write(value, "");
}
