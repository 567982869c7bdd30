import { didYouMean, nearestName } from "../../contract/nearest-name.js";
import { SHAPED_RESOURCES } from "../../contract/service/raw-shapes.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { FieldError } from "../values/field-error.js";
import { detectLanguage } from "../values/language/detect-language.js";
import { plainText } from "../values/plain-text.js";
import { buildRaw } from "./build-raw.js";
import { setField, withOwnHash, withSource } from "./build-record.js";
import { compileConditions } from "./condition.js";
import { type RawSpec, type RecordSpec, refuseMapping } from "./form/schema.js";
import type { ValueSpec } from "./form/value-spec.js";
import { optional } from "./optional.js";
import { rowReader } from "./path-reader.js";
import { compileTime, type MappingContext, platformOf } from "./record-rule.js";
import type { Run } from "./run.js";
import type { Place, Scope, Value } from "./scope.js";
import { compileValue } from "./value.js";

/** Compiles the raw items of a row: none, one, or one per element. @throws MappingError */
export function compileRaw(
  spec: RawSpec,
  context: MappingContext,
  recordSpec: RecordSpec | undefined,
  place: Place,
): (scope: Scope, run: Run, record: StoredRecord | undefined) => Iterable<RawItem> {
  const { defaults, info } = context.mapping;
  if (spec.base === "record" && recordSpec === undefined) {
    refuseMapping([...place, "base"], "needs a record in the same rule");
  }
  const platform = platformOf(spec.platform ?? recordSpec?.platform, context, place);
  checkResource(spec.resource, [...place, "resource"]);
  const text = (name: "parent" | "reply_to" | "author" | "lang", given = spec[name]) =>
    optional(given, (value) => compileValue(value, "string", [...place, name], name));
  const number = (name: "score" | "offset_s") =>
    optional(spec[name], (value) => compileValue(value, "number", [...place, name], name));
  const time = (name: "captured_at" | "created_at", given: ValueSpec | undefined = spec[name]) =>
    optional(given, (value) => compileTime(value, [...place, name], name));

  const id = compileValue(spec.id, "string", [...place, "id"], "id");
  const parent = text("parent");
  const replyTo = text("reply_to");
  const author = text("author");
  const lang = text("lang", spec.lang ?? defaults?.lang);
  const capturedAt = time("captured_at", spec.captured_at ?? defaults?.captured_at);
  const createdAt = time("created_at");
  const score = number("score");
  const offset = number("offset_s");
  const data = Object.entries(spec.data).map(([field, value]): readonly [string, Value] => {
    const name = `data.${field}`;
    return [field, compileValue(value, "json", [...place, "data", field], name)];
  });
  // A hash that the rule sets itself stays.
  const hashes =
    spec.base === "record" && data.length > 0 && !("prov.hash" in spec.data || "prov" in spec.data);
  const test = compileConditions(spec.when, [...place, "when"]);
  const each = spec.each === undefined ? undefined : rowReader(spec.each, [...place, "each"], "each");

  const one = (scope: Scope, run: Run, record: StoredRecord | undefined): RawItem => {
    const ownId = id(scope);
    if (ownId === undefined) throw new FieldError(`${spec.resource}.id`, "is missing");
    const body = spec.base === "record" ? structuredClone(scope.record as Record<string, unknown>) : {};
    for (const [field, value] of data) setField(body, field, value(scope));
    const draft = {
      platform: (run.platform ?? platform).slug,
      resource: spec.resource,
      id: ownId as string,
      parent: parent?.(scope) as string | undefined,
      reply_to: replyTo?.(scope) as string | undefined,
      author: author?.(scope) as string | undefined,
      lang:
        run.language ??
        (lang?.(scope) as string | undefined) ??
        record?.lang ??
        detectLanguage(plainText(body.text ?? body.title ?? "")),
      captured_at: record?.prov.ts ?? run.capturedAt(capturedAt?.(scope)),
      created_at: createdAt?.(scope) as string | undefined,
      score: (score?.(scope) as number | undefined) ?? 0,
      offset_s: offset?.(scope) as number | undefined,
      data: hashes ? withOwnHash(body) : body,
    };
    return buildRaw(draft, '"base": "record"');
  };

  return function* (scope, run, record) {
    const known = record === undefined ? undefined : withSource(record, info.title);
    if (each === undefined) {
      if (test(scope.row, scope.audit)) yield one({ ...scope, record: known }, run, record);
      return;
    }
    const elements = each(scope.row, scope.audit);
    if (elements === undefined || elements === null) return;
    if (!Array.isArray(elements)) throw new FieldError(spec.each!, "is not a list");
    for (const [index, row] of elements.entries()) {
      if (!test(row, scope.audit)) continue;
      yield one({ ...scope, row, outer: scope.row, index, record: known }, run, record);
    }
  };
}

/** A name that is almost one of the service's resources is a slip: its items would be stored and never shown. */
function checkResource(resource: string, place: Place): void {
  if (SHAPED_RESOURCES.includes(resource)) return;
  const meant = nearestName(resource, SHAPED_RESOURCES);
  if (meant === undefined) return;
  refuseMapping(
    place,
    `is no resource of the service${didYouMean(meant)} A resource of your own needs a name less like it`,
    resource,
  );
}
