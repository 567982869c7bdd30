import type { Platform } from "../../contract/service/platforms.js";
import { METRIC_KEYS, Metrics, type StoredRecord } from "../../contract/service/unified-record.js";
import type { TargetType } from "../values/convert.js";
import { FieldError } from "../values/field-error.js";
import { detectLanguage } from "../values/language/detect-language.js";
import { toVector } from "../values/vector.js";
import { buildRecord, type RecordDraft, setField } from "./build-record.js";
import { type Mapping, type RecordSpec, refuseMapping } from "./form/schema.js";
import type { ValueSpec } from "./form/value-spec.js";
import { optional } from "./optional.js";
import { rowReader } from "./path-reader.js";
import type { Run } from "./run.js";
import type { Place, Scope, Value } from "./scope.js";
import { compileStandIns } from "./stand-in.js";
import { compileValue } from "./value.js";

/** Context shared by the records and raw items of a mapping. */
export interface MappingContext {
  readonly mapping: Mapping;
  readonly platforms: ReadonlyMap<string, Platform>;
}

/** A record created by a rule. */
export interface MadeRecord {
  readonly record: StoredRecord;
  readonly vector?: Float32Array;
}

const TARGETS: Readonly<Record<string, TargetType>> = {
  text: "string",
  title: "string",
  "author.uid_hash": "string",
  "author.followers": "integer",
  "metrics.rating": "number",
  comment_thread: "list",
  "price.current": "number",
  "price.currency": "string",
  "price.drop_7d": "number",
  review_sample: "list",
  "sentiment.score": "number",
  "sentiment.label": "string",
  entities: "list",
  "extra.note_type": "string",
  "extra.topic": "string",
  "extra.video_dur_s": "number",
  "extra.dur_s": "number",
  "extra.channel_type": "string",
  "extra.partition": "string",
  "extra.danmaku_peak_s": "number",
  "extra.shop_type": "string",
  "extra.promo": "string",
  "extra.category": "string",
  "extra.new_arrival": "boolean",
  "extra.lightning_deal": "boolean",
  "extra.voucher": "string",
  "extra.freshness_s": "number",
};

function targetOf(field: string): TargetType {
  return TARGETS[field] ?? (field.startsWith("metrics.") ? "integer" : "extra");
}

/** Compiles a time value: ISO 8601 unless the mapping specifies a format. */
export function compileTime(given: ValueSpec, place: Place, field: string): Value {
  const spec = typeof given === "string" ? { path: given } : given;
  const timed = spec.time !== undefined || spec.record !== undefined ? spec : { ...spec, time: "iso" };
  return compileValue(timed, "string", place, field);
}

/** The platform of a rule. @throws MappingError if none is named, or it is unknown */
export function platformOf(slug: string | undefined, context: MappingContext, place: Place): Platform {
  const name = slug ?? context.mapping.defaults?.platform;
  if (name === undefined) refuseMapping([...place, "platform"], "is missing, here and in defaults");
  const platform = context.platforms.get(name);
  return (
    platform ??
    refuseMapping(
      [...place, "platform"],
      "is neither a shipped platform nor one of info.platforms with its domain and three-letter code",
      name,
    )
  );
}

/** Compiles the record of a row. @throws MappingError */
export function compileRecord(
  spec: RecordSpec,
  context: MappingContext,
  place: Place,
): (scope: Scope, run: Run) => MadeRecord {
  const { mapping } = context;
  const platform = platformOf(spec.platform, context, place);
  const fields = Object.entries(spec.fields).map(([field, value]): readonly [string, Value] => {
    const at = [...place, "fields", field];
    const metric = /^metrics\.(.*)$/.exec(field)?.[1];
    if (metric !== undefined && !Object.hasOwn(Metrics.shape, metric)) {
      const known = METRIC_KEYS[platform.domain].join(", ") || "none";
      refuseMapping(at, `is not a metric; those of ${platform.domain} are: ${known}`, metric);
    }
    return [field, compileValue(value, targetOf(field), at, field)];
  });
  const dropStandIns = compileStandIns(
    Object.entries(spec.fields).map(([field, value]) => {
      return { field, value, target: targetOf(field), place: [...place, "fields", field] };
    }),
  );
  const id = optional(spec.id, (value) => compileValue(value, "string", [...place, "id"], "id"));
  const lang = optional(spec.lang ?? mapping.defaults?.lang, (value) =>
    compileValue(value, "string", [...place, "lang"], "lang"),
  );
  const capturedAt = optional(spec.captured_at ?? mapping.defaults?.captured_at, (value) =>
    compileTime(value, [...place, "captured_at"], "prov.ts"),
  );
  const vector = spec.vector && compileVector(spec.vector, mapping, [...place, "vector"]);

  return (scope, run) => {
    const draft: Record<string, unknown> = {};
    for (const [field, value] of fields) setField(draft, field, value(scope));
    dropStandIns(draft, scope);
    const ownId = id?.(scope);
    if (id !== undefined && ownId === undefined) throw new FieldError("id", "is missing");
    setField(draft, "id", ownId);
    draft.lang = run.language ?? lang?.(scope) ?? detectLanguage(searchText(draft));
    const values = vector?.(scope);
    const record = buildRecord(
      draft as unknown as RecordDraft,
      run.platform ?? platform,
      run.capturedAt(capturedAt?.(scope)),
    );
    return values === undefined ? { record } : { record, vector: values };
  };
}

/** The text of a draft from which its language is detected. */
export function searchText(draft: Readonly<Record<string, unknown>>): string {
  const parts = [draft.title, draft.text, draft.review_sample, draft.comment_thread].flat();
  return parts
    .filter((part) => typeof part === "string")
    .join("\n")
    .slice(0, 4096);
}

function compileVector(
  spec: NonNullable<RecordSpec["vector"]>,
  mapping: Mapping,
  place: Place,
): (scope: Scope) => Float32Array | undefined {
  const { vectorModel } = mapping.info;
  if (vectorModel === undefined) refuseMapping(["info", "vectorModel"], "is required with vectors");
  const read = rowReader(spec.path, [...place, "path"], "vector");
  const model = optional(spec.model, (text) => rowReader(text, [...place, "model"], "vector"));
  return ({ row, audit }) => {
    const value = read(row, audit);
    if (value === undefined || value === null) return undefined;
    const named = model?.(row, audit);
    if (model !== undefined && named !== vectorModel) {
      throw new FieldError(spec.model!, `is not ${vectorModel}, the model of the vectors`, named ?? null);
    }
    return toVector(value, spec.path);
  };
}
