import { payloadId } from "../../slice/record-hash.js";
import { toJson, toText } from "../values/convert.js";
import { FieldError, isNotFinite } from "../values/field-error.js";
import { detectLanguage } from "../values/language/detect-language.js";
import { plainText } from "../values/plain-text.js";
import { cleanText, decodeHtml, unescapeUnicode } from "../values/text.js";
import { TEMPLATE_PATH, type ValueObject } from "./form/value-spec.js";
import type { Use } from "./path-audit.js";
import { reader, rowReader } from "./path-reader.js";
import type { Place, Reader } from "./scope.js";

const CHARACTERS_TO_DETECT = 4096;

/** Whether a value counts as missing: null, empty text of the source, or a value that the mapping declares absent. */
export function isAbsent(value: unknown, spec: ValueObject): boolean {
  if (value === undefined || value === null) return true;
  if (value === "" && !spec.keep_empty && spec.value !== "") return true;
  return (
    spec.absent !== undefined &&
    typeof value !== "object" &&
    spec.absent.some((a) => String(a) === String(value))
  );
}

const SHORT_HASH = 8;

function template(spec: ValueObject, place: Place, field: string): Reader {
  const text = spec.template!;
  const parts = text.split(TEMPLATE_PATH);
  const hash: Reader = (scope) => payloadId(toJson(scope.row, "@hash")).slice(0, SHORT_HASH);
  const readers = parts.map((part, i) => {
    if (i % 2 === 0) return undefined;
    return part === "@hash" ? hash : reader(part, place, field);
  });
  const use: Use = { text, field, place };
  // A default stands in, and a required value rejects its row: neither is silent.
  const isSaid = spec.default !== undefined || spec.required === true;
  return (scope) => {
    let out = "";
    let empty: string[] | undefined;
    for (const [i, part] of parts.entries()) {
      const read = readers[i];
      if (read === undefined) {
        out += part;
        continue;
      }
      const value = read(scope);
      if (value === undefined || value === null || value === "" || isNotFinite(value)) {
        empty ??= [];
        empty.push(part);
      } else if (empty === undefined) out += toText(value, part);
    }
    if (empty === undefined) return out;
    if (!isSaid) scope.audit?.leftOut(use, empty);
    return undefined;
  };
}

function columns(names: readonly string[], spec: ValueObject, place: Place, field: string): Reader {
  const readers = names.map((name) => [name, rowReader(name, place, field)] as const);
  return ({ row, audit }) => {
    const out: string[] = [];
    for (const [name, read] of readers) {
      const value = normal(read(row, audit), spec);
      if (!isAbsent(value, spec)) out.push(`${name}:${toText(mapped(value, spec, name), name)}`);
    }
    return out;
  };
}

/** Compiles the origin of a value; warnings call it `field`. @throws MappingError */
export function origin(spec: ValueObject, place: Place, field: string): Reader {
  if (spec.path !== undefined) {
    const paths = typeof spec.path === "string" ? [spec.path] : spec.path;
    const readers = paths.map((path) => reader(path, [...place, "path"], field));
    const [only] = readers;
    if (readers.length === 1) return only!;
    return (scope) => {
      for (const read of readers) {
        const value = read(scope);
        if (
          !isAbsent(normal(value, spec), spec) &&
          !isNotFinite(value) &&
          !(Array.isArray(value) && value.length === 0)
        )
          return value;
      }
      return undefined;
    };
  }
  if (spec.template !== undefined) return template(spec, [...place, "template"], field);
  if (spec.list !== undefined) {
    const readers = spec.list.map((path, i) => reader(path, [...place, "list", i], field));
    return (scope) => readers.flatMap((read) => read(scope) ?? []);
  }
  if (spec.columns !== undefined) return columns(spec.columns, spec, [...place, "columns"], field);
  if (spec.hash !== undefined) {
    const readers = spec.hash.map((path, i) => reader(path, [...place, "hash", i], field));
    return (scope) => payloadId(readers.map((read) => toJson(read(scope) ?? null, "hash")));
  }
  if (spec.record !== undefined) {
    const read = rowReader(spec.record, [...place, "record"], field);
    return ({ record, audit }) => read(record, audit);
  }
  if (spec.detect !== undefined) {
    const readers = spec.detect.map((path, i) => reader(path, [...place, "detect", i], field));
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
