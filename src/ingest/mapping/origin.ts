import { payloadId } from "../../slice/record-hash.js";
import { toJson, toText } from "./convert.js";
import { FieldError } from "./field-error.js";
import { detectLanguage } from "./language/detect-language.js";
import { type Path, parsePath, readPath } from "./path.js";
import { placeReader } from "./place-of-row.js";
import { plainText } from "./plain-text.js";
import { jsonPath } from "./schema.js";
import type { Place, Reader } from "./scope.js";
import { cleanText, decodeHtml, unescapeUnicode } from "./text.js";
import type { ValueObject } from "./value-spec.js";

const CHARACTERS_TO_DETECT = 4096;

/** Compiles one path: of the row, of the enclosing row (`^.`), or the element's position (`#`). */
export function reader(text: string, place: Place): Reader {
  if (text === "#") return (scope) => scope.index;
  const ofPlace = placeReader(text);
  if (ofPlace !== undefined) return ofPlace;
  const outer = text.startsWith("^.") || text === "^";
  const path = parsePath(outer ? text.slice(2) || "$" : text, jsonPath(place));
  return (scope) => readPath(outer ? scope.outer : scope.row, path);
}

/** Whether a value counts as missing: null, empty text, or a value that the mapping declares absent. */
export function isAbsent(value: unknown, spec: ValueObject): boolean {
  if (value === undefined || value === null) return true;
  if (value === "" && !spec.keep_empty) return true;
  return (
    spec.absent !== undefined &&
    typeof value !== "object" &&
    spec.absent.some((a) => String(a) === String(value))
  );
}

const SHORT_HASH = 8;

function template(text: string, place: Place): Reader {
  const parts = text.split(/\{([^{}]+)\}/);
  const hash: Reader = (scope) => payloadId(toJson(scope.row, "@hash")).slice(0, SHORT_HASH);
  const readers = parts.map((part, i) => {
    if (i % 2 === 0) return undefined;
    return part === "@hash" ? hash : reader(part, place);
  });
  return (scope) => {
    let out = "";
    for (const [i, part] of parts.entries()) {
      const read = readers[i];
      if (read === undefined) {
        out += part;
        continue;
      }
      const value = read(scope);
      if (value === undefined || value === null || value === "") return undefined;
      out += toText(value, part);
    }
    return out;
  };
}

function columns(names: readonly string[], spec: ValueObject, place: Place): Reader {
  const paths = names.map((name): [string, Path] => [name, parsePath(name, jsonPath(place))]);
  return (scope) => {
    const out: string[] = [];
    for (const [name, path] of paths) {
      const value = normal(readPath(scope.row, path), spec);
      if (!isAbsent(value, spec)) out.push(`${name}:${toText(mapped(value, spec, name), name)}`);
    }
    return out;
  };
}

/** Compiles the origin of a value. @throws MappingError */
export function origin(spec: ValueObject, place: Place): Reader {
  if (spec.path !== undefined) {
    const paths = typeof spec.path === "string" ? [spec.path] : spec.path;
    const readers = paths.map((path) => reader(path, [...place, "path"]));
    const [only] = readers;
    if (readers.length === 1) return only!;
    return (scope) => {
      for (const read of readers) {
        const value = read(scope);
        if (!isAbsent(normal(value, spec), spec) && !(Array.isArray(value) && value.length === 0))
          return value;
      }
      return undefined;
    };
  }
  if (spec.template !== undefined) return template(spec.template, [...place, "template"]);
  if (spec.list !== undefined) {
    const readers = spec.list.map((path, i) => reader(path, [...place, "list", i]));
    return (scope) => readers.flatMap((read) => read(scope) ?? []);
  }
  if (spec.columns !== undefined) return columns(spec.columns, spec, [...place, "columns"]);
  if (spec.hash !== undefined) {
    const readers = spec.hash.map((path, i) => reader(path, [...place, "hash", i]));
    return (scope) => payloadId(readers.map((read) => toJson(read(scope) ?? null, "hash")));
  }
  if (spec.record !== undefined) {
    const path = parsePath(spec.record, jsonPath([...place, "record"]));
    return (scope) => readPath(scope.record, path);
  }
  if (spec.detect !== undefined) {
    const readers = spec.detect.map((path, i) => reader(path, [...place, "detect", i]));
    return (scope) => {
      const texts = readers.flatMap((read) => read(scope) ?? []);
      return detectLanguage(
        texts
          .filter((text) => typeof text === "string")
          .join("\n")
          .slice(0, CHARACTERS_TO_DETECT),
      );
    };
  }
  return () => spec.value;
}

/** Normalizes text as the mapping specifies; other values are unchanged. */
export function normal(value: unknown, spec: ValueObject): unknown {
  if (typeof value !== "string") return value;
  const unescaped = spec.unescape ? unescapeUnicode(value) : value;
  const text = cleanText(spec.html === undefined ? unescaped : decodeHtml(unescaped, spec.html));
  if (spec.case === "lower") return text.toLowerCase();
  return spec.case === "upper" ? text.toUpperCase() : text;
}

/** Applies the enumeration of a value. @throws FieldError for an unlisted value without `else` */
export function mapped(value: unknown, spec: ValueObject, field: string): unknown {
  if (spec.map === undefined) return value;
  const key = plainText(value);
  if (Object.hasOwn(spec.map, key)) return spec.map[key] ?? undefined;
  if (spec.else !== undefined) return spec.else ?? undefined;
  const known = Object.keys(spec.map);
  throw new FieldError(field, `is none of ${known.slice(0, 8).join(", ")}`, value);
}
