import { z } from "zod";
import { JsonObject } from "../json.js";
import { Platform, PlatformSlug } from "../service/platforms.js";
import { LanguageTag, type Provenance, type StoredRecord, Timestamp } from "../service/unified-record.js";

/** Largest score: sums of scores stay exact. */
const MAX_SCORE = 2 ** 53;

/**
 * A platform-native structure as a slice stores it: one addressable item of one resource (a video, a comment, a
 * creator, a price point), with the keys that endpoints use to find, page and rank it.
 */
export const RawItem = z.strictObject({
  platform: PlatformSlug,
  /** Kind of item, singular: `video`, `comment`, `creator`, `product`, `price`, `review`, `danmaku`, `post`, `article`. */
  resource: z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/),
  /** The platform's own id of the item, unique within platform and resource. */
  id: z.string().min(1).max(400),
  /** Id of the item it belongs to (a comment's video, a price's product). */
  parent: z.string().min(1).max(400).optional(),
  /** Id of the item that it replies to, within the same resource (a reply's comment). */
  reply_to: z.string().min(1).max(400).optional(),
  /** Platform's own id or hash of its author. */
  author: z.string().min(1).max(400).optional(),
  lang: LanguageTag,
  /** Capture instant; determines the month of the slice. */
  captured_at: Timestamp,
  /** Creation: publication, posting, the day of the price. */
  created_at: Timestamp.optional(),
  /** Number that rankings sort by: likes, plays, sales. */
  score: z.number().min(-MAX_SCORE).max(MAX_SCORE),
  /** Offset into its parent, in seconds (danmaku, transcript segments). */
  offset_s: z.number().min(0).optional(),
  /** The item in the shape of its endpoint's answer. */
  data: JsonObject,
});
export type RawItem = Readonly<z.infer<typeof RawItem>>;

/** A record to be written to a slice. `writeSlices` computes a missing `prov.hash`. */
export interface NewRecord extends Omit<StoredRecord, "prov"> {
  readonly prov: Omit<Provenance, "hash"> & { readonly hash?: string };
}

/**
 * Treatment of a record's own `prov.hash`:
 * - `check` compares it with the computed hash of the record;
 * - `keep` stores it unchanged, for records of a source that computes its hashes in another way;
 * - `computed` stores it unchanged: the producer has just computed it with `recordHash`.
 */
export const HashPolicy = z.enum(["check", "keep", "computed"]);
export type HashPolicy = z.infer<typeof HashPolicy>;

/** Where an item comes from: the row of a file, or the first row of a group. */
export interface ItemPlace {
  /** Name of the file, as in rejects: `dir/a.jsonl`, `a.zip!dir/b.jsonl`. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based position among the rows of a JSON document, of which several may be on one line. */
  readonly element?: number | undefined;
}

/**
 * An item that an adapter emits: a unified record, optionally with its downloaded vector, or a raw item. Its place is named where
 * another item has its id; no slice holds it.
 */
export type SliceItem = (
  | { readonly kind: "record"; readonly record: NewRecord; readonly vector?: Float32Array }
  | { readonly kind: "raw"; readonly raw: RawItem }
) & { readonly at?: ItemPlace | undefined };

/** Facts about a whole input, written to the manifest of each of its slices. */
export const SourceInfo = z.strictObject({
  /** Human name of the collection. */
  title: z.string().min(1).max(200),
  /** SPDX id or name of the licence; `unknown` if none is stated. */
  licence: z.string().min(1).max(200),
  /** Attribution of the data. */
  attribution: z.string().max(500).optional(),
  /** The corpus's own platforms, beyond the shipped ones. */
  platforms: z.array(Platform).default([]),
  /** Model of the vectors, if there are any. */
  vectorModel: z.string().min(1).max(100).optional(),
});
export type SourceInfo = Readonly<z.infer<typeof SourceInfo>>;
/** {@link SourceInfo} as a caller passes it: `platforms` is optional. */
export type SourceInfoInput = Readonly<z.input<typeof SourceInfo>>;
