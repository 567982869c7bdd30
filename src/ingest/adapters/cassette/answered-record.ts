import type { JsonObject } from "../../../contract/json.js";
import { DOMAIN_PREFIX } from "../../../contract/service/platforms.js";
import { METRIC_KEYS, StoredRecord, UnifiedRecord } from "../../../contract/service/unified-record.js";
import type { NewRecord } from "../../../contract/slice/slice-item.js";
import { recordHash } from "../../../slice/record-hash.js";
import { compact, shapeError } from "../../mapping/build-record.js";
import type { Answer, AnsweredRecord, RecordRank } from "./answer-items.js";

/** Text in place of what was taken out of a recording. */
export const REDACTED = "REDACTED";

/**
 * A record as a search shows it. Without provenance it counts as captured when it was recorded.
 * @throws FieldError if it is none, for example because the request asked for some fields only
 */
export function foundRecord(data: JsonObject, answer: Answer): AnsweredRecord {
  const parsed = UnifiedRecord.safeParse(data);
  if (!parsed.success) throw shapeError(parsed.error.issues, data, "data[]");
  const { vec, prov, ...bare } = parsed.data;
  const vector = vec === undefined ? undefined : Float32Array.from(vec);
  const ts = answer.run.capturedAt(prov?.ts ?? answer.capturedAt);
  const record = placed({ ...bare, prov: { ...prov, ts } }, answer);
  return { kind: "record", record, vector, rank: prov === undefined ? 1 : 2 };
}

/**
 * A record as a list of records shows it.
 * @throws FieldError if it is none
 */
export function listedRecord(data: JsonObject, answer: Answer): AnsweredRecord {
  const draft = plain(data, answer);
  const parsed = StoredRecord.safeParse(draft);
  if (!parsed.success) throw shapeError(parsed.error.issues, draft, "data.items[]");
  return { kind: "record", record: placed(parsed.data, answer), rank: 1 };
}

/** The record that a raw answer shows in part; none if it shows something else, such as a comment. */
export function shownRecord(data: JsonObject, answer: Answer): AnsweredRecord[] {
  if (typeof data.id !== "string" || typeof data.prov !== "object") return [];
  const { hash: _, ...prov } = data.prov as Record<string, unknown>;
  const { data: record } = StoredRecord.safeParse({
    ...plain(data, answer),
    prov: { ...prov, hash: "0x0" },
  });
  if (record === undefined || (record.text ?? record.title ?? "") === "") return [];
  const { hash: _none, ...own } = record.prov;
  const rank: RecordRank = 0;
  // Its hash is that of what is kept of it.
  return [{ kind: "record", record: placed({ ...record, prov: own }, answer), rank }];
}

/** The fields of a raw record that a unified record has (service.md section 2.3), without what a raw answer adds. */
function plain(data: JsonObject, { row }: Answer): Record<string, unknown> {
  const { id, src, platform, lang, text, title, comment_thread, price, review_sample } = data;
  const { sentiment, entities, author, metrics, extra, prov } = data;
  const person = author as JsonObject | undefined;
  const { source, ...own } = (prov ?? {}) as JsonObject;
  const ownSource = source === `${row.platform}/${row.resource}` ? undefined : source;
  return compact({
    ...{ id, src, platform, lang, text, title, comment_thread, price, review_sample, sentiment, entities },
    author: { uid_hash: person?.uid_hash, followers: person?.followers },
    metrics: metricsOf(metrics as JsonObject | undefined, src),
    extra: extraOf(extra as JsonObject | undefined, String(id)),
    prov: { ...own, source: ownSource },
  });
}

function metricsOf(metrics: JsonObject | undefined, src: unknown): object | undefined {
  const names: readonly string[] = METRIC_KEYS[src as keyof typeof METRIC_KEYS] ?? [];
  if (metrics === undefined) return undefined;
  return Object.fromEntries(Object.entries(metrics).filter(([name]) => names.includes(name)));
}

function extraOf(extra: JsonObject | undefined, id: string): object | undefined {
  if (extra === undefined) return undefined;
  const entries = Object.entries(extra).filter(([name, value]) => {
    // Raw answers add the platform's own id, which is part of the record's.
    if (name === "source_id" && value === ownIdOf(id)) return false;
    return typeof value !== "object" || (Array.isArray(value) && value.every((v) => typeof v === "string"));
  });
  return Object.fromEntries(entries);
}

/** The platform's own id in a record id. */
export function ownIdOf(recordId: string): string {
  return recordId.split("_").slice(2).join("_");
}

/** The record with the platform and the language that the caller set for all, and with its hash. */
function placed(record: NewRecord, { run: { platform, language } }: Answer): NewRecord {
  const { prov, ...bare } = record;
  const lang = language ?? bare.lang;
  const isAsGiven = platform === undefined && lang === bare.lang;
  if (isAsGiven && prov.hash !== undefined) return record;
  const own =
    platform === undefined
      ? { ...bare, lang }
      : {
          ...{ ...bare, lang, src: platform.domain, platform: platform.slug },
          id: `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_${ownIdOf(bare.id)}`,
        };
  return { ...own, prov: { ...prov, hash: recordHash(own) } };
}
