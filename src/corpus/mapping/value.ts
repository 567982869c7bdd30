import { payloadId } from "../record-hash.js";
import { authorHash } from "./author-hash.js";
import { type NumberOptions, type TargetType, toBoolean, toJson, toNumber, toText } from "./convert.js";
import { FieldError, quote } from "./field-error.js";
import { detectLanguage } from "./language/detect-language.js";
import { toLanguageTag } from "./language/language-code.js";
import { type Path, parsePath, readPath } from "./path.js";
import { jsonPath, refuseMapping } from "./schema.js";
import { cleanText, unescapeUnicode } from "./text.js";
import { isoText, parseTimeFormat, type TimeReference } from "./time-format.js";
import type { ValueObject, ValueSpec } from "./value-spec.js";
import { parseZone } from "./zone.js";

/** What values are read from. */
export interface Scope {
  /** The row, the element of an `each`, or the aggregates of a group. */
  readonly row: unknown;
  /** The row around the element. */
  readonly outer?: unknown;
  /** Position of the element, from 0. */
  readonly index?: number;
  /** The record that the same rule made. */
  readonly record?: unknown;
  readonly authorSalt: string;
}

/** Gives a field's value in a scope, undefined where it has none. Throws a FieldError where the value does not fit. */
export type Value = (scope: Scope) => unknown;

type Reader = (scope: Scope) => unknown;

/** Where in the mapping a value stands. */
export type Place = readonly PropertyKey[];

const CHARACTERS_TO_DETECT = 4096;

function reader(text: string, place: Place): Reader {
  if (text === "#") return (scope) => scope.index;
  const outer = text.startsWith("^.") || text === "^";
  const path = parsePath(outer ? text.slice(2) || "$" : text, jsonPath(place));
  return (scope) => readPath(outer ? scope.outer : scope.row, path);
}

function isAbsent(value: unknown, spec: ValueObject): boolean {
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

function origin(spec: ValueObject, place: Place): Reader {
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

/** Text as the rest of the conversion sees it. */
function normal(value: unknown, spec: ValueObject): unknown {
  if (typeof value !== "string") return value;
  const text = cleanText(spec.unescape ? unescapeUnicode(value) : value);
  if (spec.case === "lower") return text.toLowerCase();
  return spec.case === "upper" ? text.toUpperCase() : text;
}

function mapped(value: unknown, spec: ValueObject, field: string): unknown {
  if (spec.map === undefined) return value;
  const key = String(value);
  if (Object.hasOwn(spec.map, key)) return spec.map[key] ?? undefined;
  if (spec.else !== undefined) return spec.else ?? undefined;
  const known = Object.keys(spec.map);
  throw new FieldError(field, `${quote(value)} is none of ${quote(known.slice(0, 8).join(", "))}`);
}

function bandOf(value: number, bands: NonNullable<ValueObject["bands"]>): string {
  return bands.find(({ below }) => below === undefined || value < below)!.is;
}

function reduce(
  how: NonNullable<ValueObject["reduce"]>,
  items: readonly unknown[],
  number: (item: unknown) => number,
): number | undefined {
  if (how === "count") return items.length;
  if (items.length === 0) return undefined;
  const values = items.map(number);
  if (how === "min" || how === "max")
    return values.reduce((a, b) => (how === "min" ? Math.min(a, b) : Math.max(a, b)));
  const sum = values.reduce((a, b) => a + b, 0);
  return how === "sum" ? sum : sum / values.length;
}

type ScalarStep = (value: unknown, scope: Scope) => unknown;

function timeStep(spec: ValueObject, place: Place, field: string): ScalarStep {
  const names = typeof spec.time === "string" ? [spec.time] : spec.time!;
  const formats = names.map(
    (name) =>
      parseTimeFormat(name) ?? refuseMapping([...place, "time"], `${quote(name)} is not a time format`, name),
  );
  const zone =
    parseZone(spec.zone ?? "UTC") ?? refuseMapping([...place, "zone"], "is not a time zone", spec.zone);
  if (formats.some((format) => format.yearless) && spec.year_from === undefined) {
    refuseMapping([...place, "time"], "a format without a year needs year_from", spec.time);
  }
  const yearFrom = spec.year_from === undefined ? undefined : reader(spec.year_from, [...place, "year_from"]);
  const iso = parseTimeFormat("iso")!;
  const referenceOf = (scope: Scope): TimeReference | undefined => {
    const from = yearFrom?.(scope);
    if (/^\d{4}$/.test(String(from))) return { year: Number(from) };
    const instant = iso.parse(from, zone);
    return instant === undefined ? undefined : { notBefore: instant };
  };
  return (value, scope) => {
    for (const format of formats) {
      const instant = format.parse(value, zone, format.yearless ? referenceOf(scope) : undefined);
      if (instant !== undefined) return isoText(instant);
    }
    throw new FieldError(field, `${quote(value)} is not a time of format ${names.join(" or ")}`);
  };
}

function scalarSteps(spec: ValueObject, place: Place, field: string): readonly ScalarStep[] {
  const steps: ScalarStep[] = [];
  if (spec.match !== undefined) {
    let regex: RegExp;
    try {
      regex = new RegExp(spec.match, "u");
    } catch {
      refuseMapping([...place, "match"], "is not a regular expression", spec.match);
    }
    steps.push((value) => {
      const match = regex.exec(toText(value, field));
      return match ? (match[1] ?? match[0]).trim() : undefined;
    });
  }
  if (spec.map !== undefined && spec.columns === undefined) steps.push((value) => mapped(value, spec, field));
  if (spec.language) {
    steps.push((value) => {
      const tag = toLanguageTag(toText(value, field));
      if (tag === undefined) throw new FieldError(field, `${quote(value)} is not a language code`);
      return tag;
    });
  }
  if (spec.time !== undefined) steps.push(timeStep(spec, place, field));
  if (spec.author_hash) steps.push((value, scope) => authorHash(toText(value, field), scope.authorSalt));
  return steps;
}

/**
 * Compiles a value of a mapping.
 * @param target what the field takes where the mapping does not say
 * @param place where the value stands in the mapping, for errors of the mapping
 * @param field name of the target field, for rejects
 * @throws MappingError `invalid_mapping` or `invalid_path`
 */
export function compileValue(given: ValueSpec, target: TargetType, place: Place, field: string): Value {
  const spec: ValueObject = typeof given === "string" ? { path: given } : given;
  const type = spec.type ?? target;
  const read = origin(spec, place);
  const steps = scalarSteps(spec, place, field);
  const numbers: NumberOptions = {
    ...(spec.thousands === undefined ? {} : { thousands: spec.thousands }),
    ...(spec.decimal === undefined ? {} : { decimal: spec.decimal }),
    ...(spec.suffixes === undefined ? {} : { suffixes: spec.suffixes }),
    multiply: spec.multiply,
    round: spec.round,
  };

  const scalar = (value: unknown, scope: Scope): unknown => {
    let current = normal(value, spec);
    if (isAbsent(current, spec)) return undefined;
    for (const step of steps) {
      current = step(current, scope);
      if (isAbsent(current, spec)) return undefined;
    }
    return current;
  };
  const number = (value: unknown, whole: boolean) => toNumber(value, whole, field, numbers);
  const finish = (value: unknown): unknown => {
    if (spec.bands !== undefined) return bandOf(number(value, false), spec.bands);
    switch (type) {
      case "string":
        return toText(value, field);
      case "integer":
      case "number":
        return number(value, type === "integer");
      case "boolean":
        return toBoolean(value, field);
      case "list":
        return [toText(value, field)];
      case "json":
        return toJson(value, field);
    }
  };
  const list = (values: readonly unknown[], scope: Scope): unknown => {
    let items = values.map((value) => scalar(value, scope)).filter((value) => value !== undefined);
    if (spec.reduce !== undefined) {
      const reduced = reduce(spec.reduce, items, (item) => toNumber(item, false, field, {}));
      return reduced === undefined ? undefined : finish(reduced);
    }
    if (type === "list" || spec.join !== undefined) items = items.map((item) => toText(item, field));
    if (spec.unique ?? true) items = [...new Set(items)];
    if (spec.limit !== undefined) items = items.slice(0, spec.limit);
    if (items.length === 0) return undefined;
    return spec.join === undefined ? items : items.join(spec.join);
  };

  const convert = (value: unknown, scope: Scope): unknown => {
    const { split } = spec;
    let values: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    if (split !== undefined) {
      values = [value].flat().flatMap((item) => (typeof item === "string" ? item.split(split) : [item]));
    }
    if (values !== undefined) {
      if (type === "list" || steps.length > 0 || split !== undefined) return list(values, scope);
      if (spec.join !== undefined || spec.reduce !== undefined) return list(values, scope);
    }
    const single = values !== undefined && type !== "json" ? values[0] : value;
    const current = scalar(single, scope);
    return current === undefined ? undefined : finish(current);
  };

  return (scope) => {
    const raw = read(scope);
    const value = raw === undefined || raw === null ? undefined : convert(raw, scope);
    if (value !== undefined) return value;
    if (spec.default !== undefined) return spec.default;
    if (spec.required) throw new FieldError(field, "is missing");
    return undefined;
  };
}
