import type { JsonObject } from "../../contract/json.js";
import { DOMAIN_PREFIX, PLATFORMS, type Platform } from "../../contract/service/platforms.js";
import {
  type BareRecord,
  BareRecord as BareRecordSchema,
  type StoredRecord,
} from "../../contract/service/unified-record.js";
import { payloadId, recordHash } from "../../slice/record-hash.js";
import { FieldError } from "./field-error.js";

const MAX_ID = 150;
const UNSAFE = /[\s\p{Cc}%]/gu;
/** Most ids need no second look. */
const PLAIN_ID = /^[\w.:-]{1,150}$/;

/** What a record is made of: everything but its full id, domain and provenance. */
export interface RecordDraft extends Omit<BareRecord, "id" | "src" | "platform"> {
  /** The platform's own id; absent: the hash of the rest. */
  readonly id?: string;
}

/** The platforms that an adapter can emit, by slug: those that ship with Mirrorlake and its own. */
export function platformsBySlug(own: readonly Platform[]): ReadonlyMap<string, Platform> {
  return new Map([...PLATFORMS, ...own].map((platform) => [platform.slug, platform]));
}

/**
 * A platform's own id in the form in which records and raw items are addressed by it: white space, control characters and `%`
 * percent-encoded; an id longer than 150 characters becomes its hash.
 */
export function addressableId(ownId: string): string {
  if (PLAIN_ID.test(ownId)) return ownId;
  const safe = ownId.replace(UNSAFE, encodeURIComponent);
  return safe.length > MAX_ID ? payloadId(ownId) : safe;
}

/** Record id of a platform's own id (decisions.md, "Ids, hashes"). */
export function recordId(platform: Platform, ownId: string): string {
  return `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_${addressableId(ownId)}`;
}

/** Sets a member by dotted name, making the objects on the way. Undefined leaves the target as it is. */
export function setField(target: Record<string, unknown>, dotted: string, value: unknown): void {
  if (value === undefined) return;
  let object = target;
  let start = 0;
  for (let dot = dotted.indexOf("."); dot >= 0; dot = dotted.indexOf(".", start)) {
    const name = dotted.slice(start, dot);
    object[name] ??= {};
    object = object[name] as Record<string, unknown>;
    start = dot + 1;
  }
  object[start === 0 ? dotted : dotted.slice(start)] = value;
}

/** An object without its undefined members, at every depth; undefined where nothing is left of an object. */
export function compact<T>(value: T): T {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const kept = compact(member);
    if (kept === undefined) continue;
    if (typeof kept === "object" && kept !== null && !Array.isArray(kept) && Object.keys(kept).length === 0)
      continue;
    out[key] = kept;
  }
  return out as T;
}

/** First issue of a failed check as a {@link FieldError}. */
export function shapeError(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
  value: unknown,
  prefix = "",
): FieldError {
  const { path, message } = issues[0]!;
  const at = path.reduce<unknown>((v, key) => (v as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const field = [prefix, ...path.map(String)].filter((part) => part !== "").join(".");
  return new FieldError(field, message, at);
}

/**
 * Completes a draft to a record: id, domain, hash, and provenance captured at `capturedAt`.
 * @throws FieldError where the result is not a valid record (service.md section 2.3), or says nothing.
 */
export function buildRecord(draft: RecordDraft, platform: Platform, capturedAt: string): StoredRecord {
  const { id, ...rest } = compact(draft);
  const placed = { src: platform.domain, platform: platform.slug, ...rest };
  const bare: BareRecord = { id: recordId(platform, id ?? payloadId(placed)), ...placed };
  const parsed = BareRecordSchema.safeParse(bare);
  if (!parsed.success) throw shapeError(parsed.error.issues, bare);
  if (!saysSomething(bare)) {
    throw new FieldError("text", "is empty, and so are all fields to find or rank it by");
  }
  return { ...bare, prov: { hash: recordHash(bare), ts: capturedAt } };
}

/** Whether there is anything to find or rank the record by. */
function saysSomething({ text, title, metrics, price, ...record }: BareRecord): boolean {
  const lists = [record.entities, record.comment_thread, record.review_sample];
  if (text || title || metrics !== undefined || price !== undefined) return true;
  return lists.some((list) => list !== undefined && list.length > 0);
}

/** A record as a raw answer carries it: with the name of its source. */
export function withSource(record: StoredRecord, source: string): JsonObject {
  return { ...record, prov: { ...record.prov, source } } as unknown as JsonObject;
}
