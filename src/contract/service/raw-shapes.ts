import { z } from "zod";
import { ownMember } from "../own-member.js";
import {
  BrandMention,
  CreatorItem,
  Danmaku,
  PricePoint,
  RawRecord,
  Relation,
  Review,
  Segment,
} from "./answer-shapes.js";
import { Comment, RawVideo } from "./raw.js";
import { Timestamp } from "./unified-record.js";

/*
 * Shapes of `RawItem.data` by resource: the stored forms of the shapes in answer-shapes.ts, and those of the other
 * resources. All but the video and the comment are assumed.
 */

const count = z.number().int().min(0);

/** A tag, challenge or subject of works. */
export const Topic = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  description: z.string().optional(),
  cover_url: z.string().optional(),
  /** Views and works on the platform, if stated. */
  views: count.optional(),
  works: count.optional(),
  /** Number of works in the input with this tag. */
  sampled_works: count.optional(),
});

/** A reported event, coded by the CAMEO scheme. */
export const NewsEvent = z.looseObject({
  id: z.string().min(1),
  date: z.iso.date(),
  code: z.string(),
  description: z.string().optional(),
  actors: z.array(
    z.looseObject({
      code: z.string().optional(),
      name: z.string().optional(),
      country: z.string().optional(),
    }),
  ),
  /** From −10, most destabilising, to 10. */
  goldstein: z.number().min(-10).max(10).optional(),
  tone: z.number().optional(),
  mentions: count.optional(),
  sources: count.optional(),
  articles: count.optional(),
  url: z.string().optional(),
});

/** One report of an event. */
export const EventMention = z.looseObject({
  id: z.string().min(1),
  event_id: z.string().min(1),
  mentioned_at: Timestamp,
  outlet: z.string().optional(),
  url: z.string(),
  /** Confidence of the extraction in percent. */
  confidence: z.number().min(0).max(100).optional(),
  tone: z.number().optional(),
});

/** A comment as it is stored: a number that its source does not have is absent; answers have 0 in its place (section 2.5). */
export const StoredComment = Comment.partial({ likes: true, reply_count: true });

const SHAPES: Readonly<Record<string, z.ZodType>> = {
  video: RawRecord,
  post: RawRecord,
  product: RawRecord,
  listing: RawRecord,
  article: RawRecord,
  comment: StoredComment,
  creator: CreatorItem,
  danmaku: Danmaku,
  segment: Segment,
  review: Review,
  price: PricePoint,
  topic: Topic,
  event: NewsEvent,
  mention: EventMention,
  relation: Relation,
  campaign: RawRecord,
  brand: RawRecord,
  brand_mention: BrandMention,
};

/** Resources whose data has a shape, in the order of documents. Any other name is a resource of a lake's own, without a shape. */
export const SHAPED_RESOURCES: readonly string[] = Object.keys(SHAPES);

/**
 * Schema of `RawItem.data` of a platform's resource. Undefined for a corpus's own resource, which is not checked. service.md
 * section 2.4 specifies the video of the short-video platform.
 */
export function rawShape(platform: string, resource: string): z.ZodType | undefined {
  return platform === "short-video" && resource === "video" ? RawVideo : ownMember(SHAPES, resource);
}
