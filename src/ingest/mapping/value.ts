import { ownMember } from "../../contract/own-member.js";
import { type TargetType, toBoolean, toExtra, toJson, toNumber, toText } from "../values/convert.js";
import { FieldError, isNotFinite } from "../values/field-error.js";
import { plainText } from "../values/plain-text.js";
import { cleanText } from "../values/text.js";
import { refuseMapping } from "./form/schema.js";
import type { ValueObject, ValueSpec } from "./form/value-spec.js";
import { numberOptionOf, numberOptions } from "./number-options.js";
import { isAbsent, normal, origin } from "./origin.js";
import { scalarSteps } from "./scalar-steps.js";
import type { Place, Scope, Value } from "./scope.js";

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

/** What a text, or the texts of a list, are split to; other items stay. */
function splitTexts(value: unknown, separator: string): readonly unknown[] {
  if (typeof value === "string") return value.split(separator);
  const out: unknown[] = [];
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== "string" || !item.includes(separator)) out.push(item);
    else for (const part of item.split(separator)) out.push(part);
  }
  return out;
}

/** A list whose objects stand for one of their members; other items, and what is no list, stay. */
function withMembers(value: unknown, member: string | undefined): unknown {
  if (member === undefined || !Array.isArray(value)) return value;
  return value.map((item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? ownMember(item as Readonly<Record<string, unknown>>, member)
      : item,
  );
}

/** A part of a text with the white space around it, which is that between it and the others. */
function spaced(part: string, cleaned: unknown): string {
  if (part.trim() === "") return part;
  const before = part.slice(0, part.length - part.trimStart().length);
  return `${before}${plainText(cleaned)}${part.slice(part.trimEnd().length)}`;
}

/**
 * Whether options about numbers make numbers of a value whose type is the source's.
 * @throws MappingError where the value is text, a list of texts or a truth value, on which they would have no effect
 */
function isOfNumbers(spec: ValueObject, type: TargetType, place: Place): boolean {
  const option = numberOptionOf(spec);
  if (option === undefined || spec.bands !== undefined) return false;
  if (type === "json" || type === "extra") return true;
  if (type !== "number" && type !== "integer" && spec.reduce === undefined) {
    refuseMapping(
      [...place, option],
      `is for numbers, and this value is a ${type}: leave it out`,
      spec[option],
    );
  }
  return false;
}

/**
 * Compiles a value of a mapping.
 * @param target type of the field if the mapping specifies none
 * @param place place of the value in the mapping, for mapping errors
 * @param field name of the target field, for rejects
 * @throws MappingError `invalid_mapping` or `invalid_path`
 */
export function compileValue(given: ValueSpec, target: TargetType, place: Place, field: string): Value {
  const spec: ValueObject = typeof given === "string" ? { path: given } : given;
  const type = spec.type === "json" && target === "extra" ? target : (spec.type ?? target);
  if (spec.value === null) {
    if (target === "json") return () => null;
    refuseMapping(
      [...place, "value"],
      "is null, which only data of raw items can be; leave the field out",
      null,
    );
  }
  const read = origin(spec, place, field);
  const steps = scalarSteps(spec, place, field);
  const use = { text: plainText(spec.path ?? spec.list ?? field), field, place };
  const numbers = numberOptions(spec);
  const { thousands, decimal, suffixes } = spec;
  /** Of the source's own type, and said to be written or scaled as numbers: numbers, each of a list. */
  const areNumbers = isOfNumbers(spec, type, place);
  /** Without scaling, which is for what a list is reduced to. */
  const written = { thousands, decimal, suffixes };

  // A default stands in, and a required value rejects its row: neither is silent, where the value is the number.
  const isSaid = spec.default !== undefined || spec.required === true;
  const lose = ({ audit, row }: Scope): void => {
    if (!isSaid) audit?.notFinite(use, row);
  };

  const scalar = (value: unknown, scope: Scope): unknown => {
    let current = normal(value, spec);
    if (isAbsent(current, spec)) return undefined;
    if (isNotFinite(current)) {
      lose(scope);
      return undefined;
    }
    for (const step of steps) {
      current = step(current, scope);
      if (isAbsent(current, spec)) return undefined;
    }
    return current;
  };
  const number = (value: unknown, whole: boolean) => toNumber(value, whole, field, numbers);
  const finish = (value: unknown, scope: Scope): unknown => {
    if (spec.bands !== undefined) return bandOf(number(value, false), spec.bands);
    if (areNumbers) return number(value, false);
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
        return toJson(value, field, () => scope.audit?.notFinite(use, scope.row));
      case "extra":
        return toExtra(value, field, () => scope.audit?.notFinite(use, scope.row));
    }
  };
  const list = (values: readonly unknown[], scope: Scope): unknown => {
    let items: unknown[] = [];
    for (const value of values) {
      const item = scalar(value, scope);
      if (spec.join === "" && typeof value === "string" && (item !== undefined || value.trim() === ""))
        items.push(spaced(value, item));
      else if (item !== undefined) items.push(item);
    }
    if (spec.reduce !== undefined) {
      const reduced = reduce(spec.reduce, items, (item) => toNumber(item, false, field, written));
      return reduced === undefined ? undefined : finish(reduced, scope);
    }
    if (areNumbers) items = items.map((item) => number(item, false));
    const isText = (item: unknown) => spec.join === "" && typeof item === "string";
    if (type === "list" || spec.join !== undefined)
      items = items.map((item) => (isText(item) ? item : toText(item, field)));
    if (spec.unique) items = [...new Set(items)];
    if (spec.limit !== undefined) items = items.slice(0, spec.limit);
    if (items.length === 0) return undefined;
    if (spec.join === undefined) return items;
    const text = items.join(spec.join);
    if (spec.join !== "") return text;
    const whole = cleanText(text);
    return isAbsent(whole, spec) ? undefined : whole;
  };

  const convert = (given: unknown, scope: Scope): unknown => {
    const value = withMembers(given, spec.member);
    const { split } = spec;
    let values: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
    if (split !== undefined) {
      values = splitTexts(value, split);
    }
    if (values !== undefined) {
      if (type === "list" || areNumbers || steps.length > 0 || split !== undefined)
        return list(values, scope);
      if (spec.join !== undefined || spec.reduce !== undefined) return list(values, scope);
    }
    let single = value;
    if (values !== undefined && type !== "json" && type !== "extra") {
      if (values.length > 1) scope.audit?.cutShort(use);
      single = values[0];
    }
    const current = scalar(single, scope);
    return current === undefined ? undefined : finish(current, scope);
  };

  return (scope) => {
    const raw = read(scope);
    const value = raw === undefined || raw === null ? undefined : convert(raw, scope);
    if (value !== undefined) return value;
    if (spec.default !== undefined) return spec.default;
    if (spec.required)
      throw new FieldError(field, isNotFinite(raw) ? "is missing: it is NaN or infinite" : "is missing");
    return undefined;
  };
}
