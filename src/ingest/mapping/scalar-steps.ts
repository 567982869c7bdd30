import { cachedAuthorHash } from "./author-hash.js";
import { toText } from "./convert.js";
import { FieldError, quote } from "./field-error.js";
import { toLanguageTag } from "./language/language-code.js";
import { mapped, reader } from "./origin.js";
import { plainText } from "./plain-text.js";
import { refuseMapping } from "./schema.js";
import type { Place, Scope } from "./scope.js";
import { isoText, parseTimeFormat, type TimeReference } from "./time-format.js";
import type { ValueObject } from "./value-spec.js";
import { parseZone } from "./zone.js";

/** One conversion step of a value; undefined if nothing is left. */
export type ScalarStep = (value: unknown, scope: Scope) => unknown;

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
    if (/^\d{4}$/.test(plainText(from))) return { year: Number(from) };
    const instant = iso.parse(from, zone);
    return instant === undefined ? undefined : { notBefore: instant };
  };
  return (value, scope) => {
    for (const format of formats) {
      const instant = format.parse(value, zone, format.yearless ? referenceOf(scope) : undefined);
      if (instant !== undefined) return isoText(instant);
    }
    throw new FieldError(field, `is not a time of format ${names.join(" or ")}`, value);
  };
}

/** Compiles the steps before the type conversion: match, enumeration, language code, time, author hash. @throws MappingError */
export function scalarSteps(spec: ValueObject, place: Place, field: string): readonly ScalarStep[] {
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
      if (tag === undefined) throw new FieldError(field, "is not a language code", value);
      return tag;
    });
  }
  if (spec.time !== undefined) steps.push(timeStep(spec, place, field));
  if (spec.author_hash) {
    const authorHash = cachedAuthorHash();
    steps.push((value, scope) => authorHash(toText(value, field), scope.authorSalt));
  }
  return steps;
}
