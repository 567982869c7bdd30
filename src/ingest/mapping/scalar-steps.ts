import { cachedAuthorHash } from "../values/author-hash.js";
import { toText } from "../values/convert.js";
import { FieldError, quote } from "../values/field-error.js";
import { toLanguageTag } from "../values/language/language-code.js";
import { plainText } from "../values/plain-text.js";
import { type Instant, parseTimeFormat, type TimeReference } from "../values/time-format.js";
import { timeText } from "../values/time-text.js";
import { parseZone } from "../values/zone.js";
import { refuseMapping } from "./form/schema.js";
import type { ValueObject } from "./form/value-spec.js";
import { mapped } from "./origin.js";
import { reader } from "./path-reader.js";
import type { Place, Scope } from "./scope.js";

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
  const { year_from, year_to } = spec;
  if (formats.some((format) => format.yearless) && year_from === undefined && year_to === undefined) {
    refuseMapping([...place, "time"], "a format without a year needs year_from or year_to", spec.time);
  }
  const path = (name: "year_from" | "year_to" | "ago_from", otherwise?: string) => {
    const text = spec[name] ?? otherwise;
    return text === undefined ? undefined : reader(text, [...place, name], field);
  };
  const [yearFrom, yearTo] = [path("year_from"), path("year_to")];
  const agoFrom = path("ago_from", "@captured")!;
  const iso = parseTimeFormat("iso")!;
  const referenceOf = (scope: Scope): TimeReference | undefined => {
    const from = (yearFrom ?? yearTo)?.(scope);
    if (/^\d{4}$/.test(plainText(from))) return { year: Number(from) };
    const instant = iso.parse(from, zone);
    if (instant === undefined) return undefined;
    return yearFrom === undefined ? { notAfter: instant } : { notBefore: instant };
  };
  return (value, scope) => {
    for (const format of formats) {
      const reference = format.relative
        ? agoReference(iso.parse(agoFrom(scope), zone))
        : format.yearless
          ? referenceOf(scope)
          : undefined;
      const instant = format.parse(value, zone, reference);
      if (instant !== undefined) return timeText(instant, field, value);
    }
    throw new FieldError(field, `is not a time of format ${names.join(" or ")}`, value);
  };
}

function agoReference(instant: Instant | undefined): TimeReference | undefined {
  return instant === undefined ? undefined : { notAfter: instant };
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
      const text = toText(value, field);
      const match = regex.exec(text);
      if (match === null) return undefined;
      if (spec.replace !== undefined) {
        const replaced = text.replace(regex, spec.replace);
        const after = text.length - match.index - match[0].length;
        return replaced.slice(match.index, replaced.length - after).trim();
      }
      return (match[1] ?? match[0]).trim();
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
