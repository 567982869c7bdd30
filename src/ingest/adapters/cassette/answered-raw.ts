import type { JsonObject } from "../../../contract/json.js";
import { Timestamp } from "../../../contract/service/unified-record.js";
import type { RawItem } from "../../../contract/slice/slice-item.js";
import { payloadId } from "../../../slice/record-hash.js";
import { buildRaw } from "../../mapping/build-raw.js";
import { FieldError } from "../../values/field-error.js";
import { detectLanguage } from "../../values/language/detect-language.js";
import type { Answer } from "./answer-items.js";
import { ownIdOf, REDACTED } from "./answered-record.js";

/** Keys of a raw item that its answer or its request tells. */
export interface RawKeys {
  readonly resource: string;
  readonly id?: string | undefined;
  readonly parent?: string | undefined;
  readonly author?: string | undefined;
  readonly reply_to?: string | undefined;
  readonly score?: number | undefined;
  /** What stands for the score of an item that has no number to rank by. */
  readonly place?: number | undefined;
}

/** A raw item of an answer. */
export interface AnsweredRaw {
  readonly kind: "raw";
  readonly raw: RawItem;
  /** What request and answer say beside the item: surer than what the item itself suggests. */
  readonly told: Pick<RawKeys, "author" | "score">;
}

/** Numbers that say how high an item ranks, the first that it has. */
const SCORES = ["plays", "views", "likes", "monthly_sales", "sold", "orders"];

/**
 * The raw item that an answer shows.
 * @throws FieldError if it does not fit the shape of its resource, or its id was taken out of the recording
 */
export function rawOf(given: JsonObject, answer: Answer, keys: RawKeys): AnsweredRaw {
  const data = withoutUnknown(given, answer.unknown);
  const { row, run } = answer;
  const id = keys.id ?? idIn(data) ?? payloadId(data);
  if (id === REDACTED) throw new FieldError("id", "was taken out of the recording");
  const extra = (data.extra ?? {}) as JsonObject;
  const prov = (data.prov ?? {}) as JsonObject;
  const raw = buildRaw({
    platform: run.platform?.slug ?? row.platform,
    resource: keys.resource,
    id,
    parent: keys.parent,
    reply_to: keys.reply_to,
    author: keys.author ?? authorIn(data),
    lang: run.language ?? languageIn(data),
    captured_at: run.capturedAt(prov.ts ?? answer.capturedAt),
    created_at: [data.created_at, extra.published_at, data.ts].map(timeIn).find((time) => time !== undefined),
    score: keys.score ?? scoreIn(data) ?? keys.place ?? 0,
    offset_s: typeof data.offset_s === "number" ? data.offset_s : undefined,
    data,
  });
  return { kind: "raw", raw, told: { author: keys.author, score: keys.score } };
}

/** The item without the zeros that stand for unknown numbers (service.md sections 2.4 and 2.5 demand a number). */
export function withoutUnknown(data: JsonObject, unknown: readonly string[]): JsonObject {
  if (unknown.length === 0) return data;
  const known = (object: JsonObject, prefix = "") =>
    Object.fromEntries(
      Object.entries(object).filter(([name, v]) => !(v === 0 && unknown.includes(`${prefix}${name}`))),
    );
  if ("cid" in data) return known(data);
  const { metrics } = data;
  if (typeof metrics !== "object" || metrics === null || Array.isArray(metrics)) return data;
  return { ...data, metrics: known(metrics as JsonObject, "metrics.") };
}

function idIn({ cid, creator_id, id, extra, src }: JsonObject): string | undefined {
  const source = (extra as JsonObject | undefined)?.source_id;
  const own = typeof id === "string" && src !== undefined ? ownIdOf(id) : id;
  return [cid, creator_id, source, own].find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

function authorIn({ author }: JsonObject): string | undefined {
  const { uid, uid_hash } = (author ?? {}) as JsonObject;
  const known = [uid, uid_hash].find((value) => typeof value === "string" && value !== "");
  return known === REDACTED ? undefined : (known as string | undefined);
}

function languageIn({ lang, text, title }: JsonObject): string {
  if (typeof lang === "string") return lang;
  return detectLanguage([text, title].find((value) => typeof value === "string") ?? "");
}

function timeIn(value: unknown): string | undefined {
  return Timestamp.safeParse(value).data;
}

function scoreIn(data: JsonObject): number | undefined {
  const metrics = (data.metrics ?? {}) as JsonObject;
  for (const name of SCORES) {
    const number = metrics[name] ?? data[name];
    if (typeof number === "number") return number;
  }
  return undefined;
}
