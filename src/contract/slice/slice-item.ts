import { z } from "zod";
import { JsonObject } from "../json.js";
import { Platform, PlatformSlug } from "../service/platforms.js";
import { LanguageTag, type Provenance, type StoredRecord, Timestamp } from "../service/unified-record.js";

/**
 * A platform-native structure as a slice stores it: one addressable item of one resource (a video, a comment, a
 * creator, a price point), with the keys by which endpoints find, page and rank it.
 */
export const RawItem = z.strictObject({
  platform: PlatformSlug,
  /** Kind of item, singular: `video`, `comment`, `creator`, `product`, `price`, `review`, `danmaku`, `post`, `article`. */
  resource: z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/),
  /** The platform's own id of the item, unique within platform and resource. */
  id: z.string().min(1).max(400),
  /** Id of the item it belongs to (a comment's video, a price's product). */
  parent: z.string().min(1).max(400).optional(),
  /** Id of the item that it answers, within the same resource (a reply's comment). */
  reply_to: z.string().min(1).max(400).optional(),
  /** Platform's own id or hash of its author. */
  author: z.string().min(1).max(400).optional(),
  lang: LanguageTag,
  /** When it was captured; decides the month of the slice. */
  captured_at: Timestamp,
  /** When it came to be: publication, posting, the day of the price. */
  created_at: Timestamp.optional(),
  /** What rankings sort by: likes, plays, sales. */
  score: z.number(),
  /** Offset into its parent, in seconds (danmaku, transcript segments). */
  offset_s: z.number().min(0).optional(),
  /** The item in the shape that its endpoint answers. */
  data: JsonObject,
});
export type RawItem = Readonly<z.infer<typeof RawItem>>;

/** A record on its way into a slice. Where it brings no `prov.hash`, `writeSlices` computes it. */
export interface NewRecord extends Omit<StoredRecord, "prov"> {
  readonly prov: Omit<Provenance, "hash"> & { readonly hash?: string };
}

/**
 * What happens to a `prov.hash` that a record brings:
 * - `check` compares it with the hash of what the record says;
 * - `keep` stores it as it came, for records downloaded from a source that computes its hashes in another way;
 * - `computed` stores it too: the producer has just computed it with `recordHash`, so computing it again is saved.
 */
export const HashPolicy = z.enum(["check", "keep", "computed"]);
export type HashPolicy = z.infer<typeof HashPolicy>;

/** What an adapter emits: a unified record, perhaps with its downloaded vector, or a raw item. */
export type SliceItem =
  | { readonly kind: "record"; readonly record: NewRecord; readonly vector?: Float32Array }
  | { readonly kind: "raw"; readonly raw: RawItem };

/** What is true of a whole input and ends up in the manifest of each of its slices. */
export const SourceInfo = z.strictObject({
  /** Human name of the collection. */
  title: z.string().min(1).max(200),
  /** SPDX id or words of the licence; `unknown` where none is stated. */
  licence: z.string().min(1).max(200),
  /** Who to credit. */
  attribution: z.string().max(500).optional(),
  /** Platforms of the corpus's own, beyond those that ship with Mirrorlake. */
  platforms: z.array(Platform).default([]),
  /** Name of the model of the vectors, where there are any. */
  vectorModel: z.string().min(1).max(100).optional(),
});
export type SourceInfo = Readonly<z.infer<typeof SourceInfo>>;
/** The same as a caller gives it: `platforms` may be left out. */
export type SourceInfoInput = Readonly<z.input<typeof SourceInfo>>;
