import { z } from "zod";
import { JsonValue } from "../json.js";
import { Domain, PlatformSlug } from "./platforms.js";
import { LanguageTag, Provenance, RecordId, Timestamp } from "./unified-record.js";

const count = z.number().int().min(0);

/** Pattern of a short-video platform's video id (service.md section 4.2.1). */
export const ITEM_ID_PATTERN = /^[0-9]{15,20}$/;

/** Author of a raw record (service.md sections 2.4 and 2.5). */
export const RawAuthor = z.strictObject({
  uid_hash: z.string(),
  followers: count.optional(),
  nickname: z.string().optional(),
  uid: z.string().optional(),
  sec_uid: z.string().optional(),
  unique_id: z.string().nullable().optional(),
});

/** Raw video record (service.md section 2.4). */
export const RawVideo = z.strictObject({
  id: RecordId,
  src: Domain,
  platform: PlatformSlug,
  lang: LanguageTag,
  text: z.string(),
  author: RawAuthor,
  metrics: z.strictObject({
    likes: count.optional(),
    comments: count.optional(),
    shares: count.optional(),
    saves: count.optional(),
    plays: count.optional(),
  }),
  extra: z.strictObject({
    video_dur_s: count.optional(),
    topic: z.string().optional(),
    source_id: z.string(),
    published_at: Timestamp.optional(),
    topics: z.array(z.string()).optional(),
    content_type: z.string().optional(),
    cover_url: z.string().optional(),
    url: z.string().optional(),
  }),
  prov: Provenance.required({ source: true }),
});
export type RawVideo = Readonly<z.infer<typeof RawVideo>>;

/** One comment of a raw comments page (service.md section 2.5). */
export const Comment = z.strictObject({
  cid: z.string().min(1),
  text: z.string(),
  likes: count,
  ip_location: z.string(),
  reply_count: count,
  created_at: Timestamp,
  is_hot: z.boolean(),
  images: z.array(JsonValue),
  author: z.strictObject({
    uid_hash: z.string(),
    nickname: z.string(),
    uid: z.string(),
    sec_uid: z.string(),
    unique_id: z.string().nullable(),
  }),
});
export type Comment = Readonly<z.infer<typeof Comment>>;

/** Raw comments page (service.md section 2.5). */
export const CommentsPage = z.strictObject({
  items: z.array(Comment),
  cursor: z.number().int().min(0),
  has_more: z.boolean(),
  total: count,
  prov: Provenance.required({ source: true }),
});
export type CommentsPage = Readonly<z.infer<typeof CommentsPage>>;
