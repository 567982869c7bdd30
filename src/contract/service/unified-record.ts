import { z } from "zod";
import { isBeyondCalendar } from "../utc-calendar.js";
import { Domain, PlatformSlug } from "./platforms.js";

/** Dimensions of every vector (service.md section 8). */
export const VECTOR_DIMENSIONS = 1536;

/** ISO 8601 instant with an offset (service.md section 2.3, `prov.ts`), which is in the years 0000 to 9999 in UTC too. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .refine((text) => !isBeyondCalendar(Date.parse(text)), "must be in the years 0000 to 9999 in UTC");

/** BCP-47 language tag; `und` for an unknown language. */
export const LanguageTag = z.string().regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, "must be a BCP-47 tag");

/** `<soc|eco|web>_<three-letter platform code>_<suffix>` (service.md section 2.3). */
export const RecordId = recordIdUpTo(200);

/** An id of a record, or of what is to be one, of at most so many characters. */
export function recordIdUpTo(characters: number): z.ZodString {
  return z
    .string()
    .max(characters)
    .regex(
      /^(soc|eco|web)_[a-z0-9]{3}_[^\s\p{Cc}]+$/u,
      "must be <soc|eco|web>_<the platform's code, three letters or digits>_<suffix>, such as web_gnw_1",
    );
}

/** Provenance: content hash and capture instant; raw answers add the source (service.md section 2.3). */
export const Provenance = z.strictObject({
  hash: z.string().regex(/^0x[0-9a-f]+$/, "must be hexadecimal with a 0x prefix"),
  ts: Timestamp,
  source: z.string().optional(),
});
export type Provenance = Readonly<z.infer<typeof Provenance>>;

const count = z.number().int().min(0);

/** Counters of a social record (service.md section 2.3). */
export const SocialMetrics = z.strictObject({
  likes: count.optional(),
  comments: count.optional(),
  saves: count.optional(),
  shares: count.optional(),
  plays: count.optional(),
  views: count.optional(),
  danmaku: count.optional(),
  coins: count.optional(),
});

export type SocialMetrics = Readonly<z.infer<typeof SocialMetrics>>;

/** Counters of an e-commerce record (service.md section 2.3). `bsr` is the best-seller rank. */
export const EcommerceMetrics = z.strictObject({
  rating: z.number().min(0).optional(),
  orders: count.optional(),
  reviews: count.optional(),
  monthly_sales: count.optional(),
  bsr: count.optional(),
  sold: count.optional(),
});

export type EcommerceMetrics = Readonly<z.infer<typeof EcommerceMetrics>>;

/** The metrics keys of all domains; a record has those of its domain. */
export const Metrics = z.strictObject({ ...SocialMetrics.shape, ...EcommerceMetrics.shape });
export type Metrics = Readonly<z.infer<typeof Metrics>>;

/** Keys of `metrics` by domain (service.md section 2.3 names none for web). */
export const METRIC_KEYS: Readonly<Record<Domain, readonly (keyof Metrics)[]>> = {
  social: Object.keys(SocialMetrics.shape) as (keyof Metrics)[],
  ecommerce: Object.keys(EcommerceMetrics.shape) as (keyof Metrics)[],
  web: [],
};

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/**
 * `extra` of a unified record: the keys that service.md section 2.3 lists, typed (the names are specified, the
 * types assumed), and any further platform-specific key holding a scalar or a list of scalars.
 */
export const Extra = z
  .object({
    note_type: z.string(),
    topic: z.string(),
    video_dur_s: z.number().min(0),
    dur_s: z.number().min(0),
    channel_type: z.string(),
    partition: z.string(),
    danmaku_peak_s: z.number().min(0),
    shop_type: z.string(),
    stock: z.union([z.number(), z.string()]),
    promo: z.string(),
    category: z.string(),
    new_arrival: z.boolean(),
    color_ways: z.union([z.number().int(), z.array(z.string())]),
    lightning_deal: z.boolean(),
    voucher: z.string(),
    freshness_s: z.number().min(0),
    outlet_tier: z.union([z.number(), z.string()]),
  })
  .partial()
  .catchall(
    z.union([scalar, z.array(scalar)], {
      error: "must be text, a number, true or false, or a list of these",
    }),
  );
export type Extra = Readonly<z.infer<typeof Extra>>;

/** The `extra` keys that service.md section 2.3 names. */
export const EXTRA_KEYS = Object.keys(Extra.shape) as readonly (keyof typeof Extra.shape)[];

/** Author of a social record (service.md section 2.3). */
export const Author = z.strictObject({ uid_hash: z.string().min(1), followers: count.optional() });

/** Price of an e-commerce record: `drop_7d` is the percent change over 7 days, negative for a drop. */
export const Price = z.strictObject({
  current: z.number().min(0),
  currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code"),
  drop_7d: z.number().optional(),
});

/** Sentiment of a web record (service.md section 2.3). */
export const Sentiment = z.strictObject({ score: z.number(), label: z.string() });

const shape = {
  id: RecordId,
  src: Domain,
  platform: PlatformSlug,
  lang: LanguageTag,
  text: z.string().optional(),
  title: z.string().optional(),
  author: Author.optional(),
  metrics: Metrics.optional(),
  comment_thread: z.array(z.string()).optional(),
  price: Price.optional(),
  review_sample: z.array(z.string()).optional(),
  sentiment: Sentiment.optional(),
  entities: z.array(z.string()).optional(),
  extra: Extra.optional(),
};

/** A record without vector and provenance: the input of `prov.hash`, and the answer of `format: "records"`. */
export const BareRecord = z.strictObject(shape);
export type BareRecord = Readonly<z.infer<typeof BareRecord>>;

/** A record as a slice stores it: all fields but the vector. */
export const StoredRecord = z.strictObject({ ...shape, prov: Provenance });
export type StoredRecord = Readonly<z.infer<typeof StoredRecord>>;

/** A vector in an answer: a plain array over the network, a typed array in process. */
export const Vector = z.union([
  z.array(z.number()).length(VECTOR_DIMENSIONS),
  z.custom<Float32Array>((v) => v instanceof Float32Array && v.length === VECTOR_DIMENSIONS),
]);

/** The unified record of search results (service.md section 2.3); `vec` and `prov` depend on `format`. */
export const UnifiedRecord = z.strictObject({
  ...shape,
  vec: Vector.optional(),
  prov: Provenance.optional(),
});
export type UnifiedRecord = Readonly<z.infer<typeof UnifiedRecord>>;
