import type { JsonObject } from "../../contract/json.js";
import { setMember } from "../../contract/own-member.js";
import { DOMAIN_PREFIX, PLATFORMS, type Platform } from "../../contract/service/platforms.js";
import {
  type BareRecord,
  BareRecord as BareRecordSchema,
  type StoredRecord,
} from "../../contract/service/unified-record.js";
import { addressableId } from "../../slice/addressable-id.js";
import { payloadId, recordHash } from "../../slice/record-hash.js";
import { isSurelySoundRecord } from "../../slice/surely-sound.js";
import { FieldError } from "../values/field-error.js";
import { withoutUndefined } from "./without-undefined.js";

/** Input of a record: everything but its full id, domain and provenance. */
export interface RecordDraft extends Omit<BareRecord, "id" | "src" | "platform"> {
  /** The platform's own id. Default: the hash of the rest. */
  readonly id?: string;
}

/** The platforms that an adapter can emit, by slug: the shipped ones and its own. */
export function platformsBySlug(own: readonly Platform[]): ReadonlyMap<string, Platform> {
  return new Map([...PLATFORMS, ...own].map((platform) => [platform.slug, platform]));
}

/** Record id of a platform's own id (decisions.md, "Ids, hashes"). */
export function recordId(platform: Platform, ownId: string): string {
  return `${DOMAIN_PREFIX[platform.domain]}_${platform.code}_${addressableId(ownId)}`;
}

/** Sets a member by dotted name and creates the objects in between. Undefined leaves the target unchanged. */
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

/** Removes undefined members and empty objects, at every depth: no field of a record takes an empty object. */
export function compact<T>(value: T): T {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const kept = compact(member);
    if (kept === undefined) continue;
    if (typeof kept === "object" && kept !== null && !Array.isArray(kept) && Object.keys(kept).length === 0)
      continue;
    setMember(out, key, kept);
  }
  return out as T;
}

/** What a failed validation says of one part of a value. */
interface ShapeIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Expected type, for a value of another: `number`. */
  readonly expected?: unknown;
}

const READ_FROM_TEXT: readonly unknown[] = ["number", "int", "boolean"];

/** What a value breaks, and what the mapping can say of text that may be the number or the truth value that is expected. */
function brokenRule({ message, expected }: ShapeIssue, value: unknown): string {
  if (value === undefined) return "is missing";
  if (typeof value !== "string" || !READ_FROM_TEXT.includes(expected)) return message;
  const type = expected === "int" ? "integer" : expected;
  return `${message}; "type": "${type}" in the mapping reads one from text`;
}

/** Converts the first issue of a failed validation to a {@link FieldError}. */
export function shapeError(issues: readonly ShapeIssue[], value: unknown, prefix = ""): FieldError {
  const valueAt = (path: readonly PropertyKey[]) =>
    path.reduce<unknown>((v, key) => (v as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
  const fieldOf = (keys: readonly PropertyKey[]) =>
    [prefix, ...keys.map(String)].filter((part) => part !== "").join(".");
  const [first, ...others] = issues.map((issue) => {
    const at = valueAt(issue.path);
    return { field: fieldOf(issue.path), at, rule: brokenRule(issue, at) };
  });
  const { field, at, rule } = first!;
  const also = others.map((other) => `${other.field}: ${other.rule}`).join("; ");
  return new FieldError(field, also === "" ? rule : `${rule} (and ${also})`, at);
}

/**
 * Completes a draft to a record: id, domain, hash, and provenance with the capture time.
 * @throws FieldError if the result is not a valid record (service.md section 2.3), or has no content
 */
export function buildRecord(draft: RecordDraft, platform: Platform, capturedAt: string): StoredRecord {
  const { id, ...rest } = compact(draft);
  const placed = { src: platform.domain, platform: platform.slug, ...rest };
  const bare: BareRecord = { id: recordId(platform, id ?? payloadId(placed)), ...placed };
  if (!isSurelySoundRecord({ ...bare, prov: SOME_PROVENANCE })) {
    const parsed = BareRecordSchema.safeParse(bare);
    if (!parsed.success) throw shapeError(parsed.error.issues, bare);
  }
  if (!hasContent(bare)) {
    throw new FieldError("text", "is empty, and so is every other searchable or ranked field");
  }
  return { ...bare, prov: { hash: recordHash(bare), ts: capturedAt } };
}

/** Stands for the provenance of a record whose hash is not known yet. */
const SOME_PROVENANCE = { hash: "0x0", ts: "2000-01-01T00:00:00Z" };

/** Whether the record has a searchable or ranked field. */
function hasContent({ text, title, metrics, price, ...record }: BareRecord): boolean {
  const lists = [record.entities, record.comment_thread, record.review_sample];
  if (text || title || metrics !== undefined || price !== undefined) return true;
  return lists.some((list) => list !== undefined && list.length > 0);
}

/** A record as a raw answer shows it: with the name of its source. */
export function withSource(record: StoredRecord, source: string): JsonObject {
  return { ...record, prov: { ...record.prov, source } } as unknown as JsonObject;
}

/** Data made of a record and more, with the hash of what it is now: that of the record is another. */
export function withOwnHash(data: object): JsonObject {
  const made = withoutUndefined(data) as BareRecord & { readonly prov: StoredRecord["prov"] };
  return { ...made, prov: { ...made.prov, hash: recordHash(made) } } as unknown as JsonObject;
}
