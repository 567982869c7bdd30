import { z } from "zod";
import { JsonObject } from "../json.js";
import { RawAuthor } from "./raw.js";
import { BareRecord, LanguageTag, Metrics, Provenance, Timestamp } from "./unified-record.js";

/*
 * Answers of the raw endpoints other than the video and the comments page. service.md names these resources without their shapes
 * (section 4.2): all assumed. Shapes of a platform's items are open: further fields are passed through, so that a recording of
 * the remote service fits without a new version.
 */

const count = z.number().int().min(0);

/** Provenance of a raw answer, with its source (service.md section 2.3). */
export const RawProvenance = Provenance.required({ source: true });

/**
 * One whole thing of a platform (a post, a product, an article, a video of another platform): the unified record's fields
 * with the raw author and any `extra`, as the raw video record of service.md section 2.4 generalises.
 */
export const RawRecord = z.looseObject({
  ...BareRecord.shape,
  author: z.looseObject(RawAuthor.partial().shape).optional(),
  metrics: z.looseObject(Metrics.shape).optional(),
  extra: JsonObject.optional(),
  prov: RawProvenance,
});
export type RawRecord = Readonly<z.infer<typeof RawRecord>>;

/** A timed comment that is shown over a video; `offset_s` is its second in the video. */
export const Danmaku = z.looseObject({
  id: z.string().min(1),
  text: z.string(),
  offset_s: z.number().min(0),
  created_at: Timestamp.optional(),
});

/** A timed segment of a transcript. */
export const Segment = z.looseObject({
  id: z.string().min(1),
  text: z.string(),
  offset_s: z.number().min(0),
  dur_s: z.number().min(0).optional(),
  speaker: z.string().optional(),
});

/** A buyer's or guest's review. */
export const Review = z.looseObject({
  id: z.string().min(1),
  text: z.string(),
  rating: z.number().optional(),
  created_at: Timestamp.optional(),
});

/** A mention of a brand. */
export const BrandMention = z.looseObject({
  id: z.string().min(1),
  text: z.string(),
  channel: z.string().optional(),
  url: z.string().optional(),
  created_at: Timestamp.optional(),
});

/** A creator's public profile. `items_held` counts the creator's works in the corpus. */
export const CreatorProfile = z.looseObject({
  creator_id: z.string().min(1),
  lang: LanguageTag.optional(),
  nickname: z.string().optional(),
  uid_hash: z.string().optional(),
  followers: count.optional(),
  items_held: count,
  prov: RawProvenance,
});
export type CreatorProfile = Readonly<z.infer<typeof CreatorProfile>>;

/** A creator in a list: the profile without the corpus count. */
export const CreatorItem = CreatorProfile.omit({ items_held: true, prov: true });

/** A connection of one creator to another; `kind` is `follows`, `collaborates`, `mentions`, `comments` or the like. */
export const Relation = z.looseObject({
  from: z.string().min(1),
  to: z.string().min(1),
  kind: z.string().min(1),
  weight: z.number().min(0),
});

/** Connections of a creator: directed edges by descending weight, and the creators at both ends. */
export const CreatorGraph = z.strictObject({
  creator_id: z.string().min(1),
  nodes: z.array(
    z.looseObject({
      id: z.string().min(1),
      nickname: z.string().optional(),
      uid_hash: z.string().optional(),
      followers: count.optional(),
    }),
  ),
  edges: z.array(Relation),
  prov: RawProvenance,
});
export type CreatorGraph = Readonly<z.infer<typeof CreatorGraph>>;

/** A price at an instant; `location` is set for a local price. */
export const PricePoint = z.looseObject({
  ts: Timestamp,
  current: z.number().min(0),
  currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code"),
  location: z.string().optional(),
});
export type PricePoint = Readonly<z.infer<typeof PricePoint>>;

/**
 * A price history with one series per place and currency: points in order of time, the lowest and highest price, and the change from
 * first to last in percent (null if the first is 0).
 */
export const PricePath = z.strictObject({
  id: z.string().min(1),
  series: z.array(
    z.strictObject({
      location: z.string().nullable(),
      currency: z.string(),
      points: z.array(PricePoint).min(1),
      low: z.number().min(0),
      high: z.number().min(0),
      change_pct: z.number().nullable(),
    }),
  ),
  prov: RawProvenance,
});
export type PricePath = Readonly<z.infer<typeof PricePath>>;

/** An entry of a ranking. Ranks start at 1; `value` is the ranked number. */
export function rankEntry<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ rank: z.number().int().min(1), value: z.number(), item });
}

/** Counts per non-empty unit of time, oldest first; `score` sums likes, plays or sales. */
export const Trend = z.strictObject({
  unit: z.enum(["hour", "day", "week", "month"]),
  total: count,
  buckets: z.array(z.strictObject({ start: Timestamp, count, score: z.number() })),
  prov: RawProvenance,
});
export type Trend = Readonly<z.infer<typeof Trend>>;

/** A page of any list, with the paging fields of the comments page (service.md section 2.5). */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    cursor: count,
    has_more: z.boolean(),
    total: count,
    prov: RawProvenance,
  });
}
