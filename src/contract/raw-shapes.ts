import { z } from "zod";
import { Comment, RawAuthor, RawVideo } from "./raw.js";
import { LanguageTag, Sentiment, SocialMetrics, Timestamp } from "./records.js";

/*
 * What `RawItem.data` holds, by resource. The video and the comment are specified (service.md sections 2.4 and 2.5);
 * the rest is assumed. Only what every source can give is required.
 */

const count = z.number().int().min(0);
const currency = z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code");

/** Profile of an account that publishes. */
export const Creator = z.strictObject({
  id: z.string(),
  uid_hash: z.string(),
  nickname: z.string().optional(),
  sec_uid: z.string().optional(),
  unique_id: z.string().optional(),
  signature: z.string().optional(),
  verified: z.boolean().optional(),
  location: z.string().optional(),
  avatar_url: z.string().optional(),
  url: z.string().optional(),
  followers: count.optional(),
  following: count.optional(),
  /** Likes that all of its works have had. */
  likes: count.optional(),
  /** Number of works. */
  works: count.optional(),
});
export type Creator = Readonly<z.infer<typeof Creator>>;

/** A tag, challenge or subject that works are filed under. */
export const Topic = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  cover_url: z.string().optional(),
  /** Views and works on the platform, where it says so. */
  views: count.optional(),
  works: count.optional(),
  /** Works of this input that carry it. */
  sampled_works: count.optional(),
});
export type Topic = Readonly<z.infer<typeof Topic>>;

/** A post of a microblog, a forum, a notes platform. */
export const Post = z.strictObject({
  id: z.string(),
  text: z.string(),
  title: z.string().optional(),
  author: RawAuthor,
  metrics: SocialMetrics,
  created_at: Timestamp.optional(),
  /** Client or channel that it was posted with. */
  client: z.string().optional(),
  topics: z.array(z.string()).optional(),
  images: count.optional(),
  has_url: z.boolean().optional(),
  url: z.string().optional(),
  label: z.string().optional(),
});
export type Post = Readonly<z.infer<typeof Post>>;

/** A remark that runs over a video at a moment of it. */
export const Danmaku = z.strictObject({
  id: z.string(),
  video_id: z.string(),
  text: z.string(),
  /** Seconds into the video. */
  offset_s: z.number().min(0),
  created_at: Timestamp.optional(),
  uid_hash: z.string().optional(),
  emotion: z.string().optional(),
});
export type Danmaku = Readonly<z.infer<typeof Danmaku>>;

/** A stretch of a transcript. */
export const Segment = z.strictObject({
  id: z.string(),
  video_id: z.string(),
  /** Position in the transcript, from 0. */
  index: count,
  /** Seconds into the video. */
  start_s: z.number().min(0),
  text: z.string(),
});
export type Segment = Readonly<z.infer<typeof Segment>>;

/** A product as a marketplace lists it. */
export const Product = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string().optional(),
  brand: z.string().optional(),
  category: z.string().optional(),
  subcategory: z.string().optional(),
  /** Where the shop is, or where the price holds. */
  location: z.string().optional(),
  price: z
    .strictObject({
      current: z.number().min(0),
      currency,
      drop_7d: z.number().optional(),
      /** Range over all places at the newest day. */
      min: z.number().min(0).optional(),
      max: z.number().min(0).optional(),
    })
    .optional(),
  rating: z.number().min(0).optional(),
  reviews: count.optional(),
  sold: count.optional(),
  available: z.boolean().optional(),
  image_url: z.string().optional(),
  url: z.string().optional(),
});
export type Product = Readonly<z.infer<typeof Product>>;

/** What a product cost at one place on one day. */
export const PricePoint = z.strictObject({
  product_id: z.string(),
  /** Calendar day of the price. */
  date: z.iso.date(),
  captured_at: Timestamp,
  location: z.string().optional(),
  price: z.number().min(0),
  currency,
  /** Price of one `unit`. */
  unit_price: z.number().min(0).optional(),
  unit: z.string().optional(),
  available: z.boolean().optional(),
});
export type PricePoint = Readonly<z.infer<typeof PricePoint>>;

/** A customer's review. */
export const Review = z.strictObject({
  id: z.string(),
  product_id: z.string().optional(),
  text: z.string(),
  rating: z.number().min(0).optional(),
  sentiment: z.string().optional(),
  emotion: z.string().optional(),
  /** `aspect:polarity`, such as `wifi:negative`. */
  aspects: z.array(z.string()).optional(),
  created_at: Timestamp.optional(),
});
export type Review = Readonly<z.infer<typeof Review>>;

/** A news article, or a sentence of one, with what was found in it. */
export const Article = z.strictObject({
  id: z.string(),
  title: z.string().optional(),
  text: z.string().optional(),
  url: z.string().optional(),
  /** Further addresses of the same text. */
  urls: z.array(z.string()).optional(),
  outlet: z.string().optional(),
  lang: LanguageTag,
  published_at: Timestamp.optional(),
  sentiment: Sentiment.optional(),
  persons: z.array(z.string()).optional(),
  organisations: z.array(z.string()).optional(),
  locations: z.array(z.string()).optional(),
  themes: z.array(z.string()).optional(),
  words: count.optional(),
  image_url: z.string().optional(),
});
export type Article = Readonly<z.infer<typeof Article>>;

/** Who took part in an event. */
const Actor = z.strictObject({
  code: z.string().optional(),
  name: z.string().optional(),
  country: z.string().optional(),
});

/** Something that was reported to have happened, coded by the CAMEO scheme. */
export const NewsEvent = z.strictObject({
  id: z.string(),
  date: z.iso.date(),
  actors: z.array(Actor),
  code: z.string(),
  description: z.string().optional(),
  quad_class: z.number().int().min(1).max(4).optional(),
  goldstein: z.number().optional(),
  tone: z.number().optional(),
  mentions: count.optional(),
  sources: count.optional(),
  articles: count.optional(),
  location: z
    .strictObject({
      name: z.string().optional(),
      country: z.string().optional(),
      lat: z.number().optional(),
      lon: z.number().optional(),
    })
    .optional(),
  url: z.string().optional(),
});
export type NewsEvent = Readonly<z.infer<typeof NewsEvent>>;

/** One report of an event. */
export const EventMention = z.strictObject({
  event_id: z.string(),
  mentioned_at: Timestamp,
  outlet: z.string().optional(),
  url: z.string(),
  sentence: count.optional(),
  /** Confidence of the extraction in percent. */
  confidence: z.number().min(0).max(100).optional(),
  tone: z.number().optional(),
  words: count.optional(),
});
export type EventMention = Readonly<z.infer<typeof EventMention>>;

/** Schema of `RawItem.data` by `RawItem.resource`. A corpus may bring further resources; those are not checked. */
export const RAW_SHAPES = {
  video: RawVideo,
  comment: Comment,
  creator: Creator,
  topic: Topic,
  post: Post,
  danmaku: Danmaku,
  segment: Segment,
  product: Product,
  price: PricePoint,
  review: Review,
  article: Article,
  event: NewsEvent,
  mention: EventMention,
} as const satisfies Readonly<Record<string, z.ZodType>>;
