import type { RawItem } from "../contract/slice-item.js";
import {
  before,
  creatorId,
  currencyOf,
  DAY_MS,
  HOUR_MS,
  rawAuthor,
  rawItem,
  type SampleContext,
} from "./sample-item.js";
import { NICKNAMES, REMARKS, REVIEWS, SUBJECTS } from "./sample-text.js";

/** Top-level comments on a platform's first thing. */
export const COMMENT_COUNT = 12;
const REPLY_COUNT = 3;
const PRICE_DAYS = 8;

/** The whole thing that parts hang on: the n-th of its platform, from 1. */
export interface SampleParent {
  readonly id: string;
  readonly n: number;
  readonly price: number;
}

/** Makers of what hangs on whole things, by resource. */
export const SAMPLE_PARTS = {
  comment: comments,
  danmaku,
  segment: segments,
  review: reviews,
  price: prices,
  brand_mention: brandMentions,
} as const satisfies Record<string, (context: SampleContext, parent: SampleParent) => RawItem[]>;

/** Under the first thing `c1` … with replies to `c1`; under each other a single one. */
function comments(context: SampleContext, { id, n }: SampleParent): RawItem[] {
  if (n > 1) return [comment(context, { parent: id, cid: `${id}-c1`, n, replies: 0 })];
  const tops = Array.from({ length: COMMENT_COUNT }, (_, i) =>
    comment(context, { parent: id, cid: `c${i + 1}`, n: i + 1, replies: i === 0 ? REPLY_COUNT : 0 }),
  );
  const replies = Array.from({ length: REPLY_COUNT }, (_, i) =>
    comment(context, { parent: id, cid: `c1-r${i + 1}`, n: i + 1, replies: 0, reply_to: "c1" }),
  );
  return [...tops, ...replies];
}

interface CommentFacts {
  readonly parent: string;
  readonly cid: string;
  readonly n: number;
  readonly replies: number;
  readonly reply_to?: string;
}

function comment(context: SampleContext, { parent, cid, n, replies, reply_to }: CommentFacts): RawItem {
  const { random } = context;
  const [lang, text] = random.pick(REMARKS);
  const author = creatorId(n + 1);
  const created_at = before(n * HOUR_MS);
  const likes = random.int(0, 400);
  const data = {
    cid,
    text,
    likes,
    ip_location: random.pick(["Guangdong", "Jakarta", "Madrid", ""]),
    reply_count: replies,
    created_at,
    is_hot: likes > 200,
    images: [],
    author: rawAuthor(author),
  };
  const reply = reply_to === undefined ? {} : { reply_to };
  return rawItem(context, {
    resource: "comment",
    id: cid,
    parent,
    ...reply,
    author,
    lang,
    created_at,
    score: likes,
    data,
  });
}

function danmaku(context: SampleContext, { id: parent }: SampleParent): RawItem[] {
  return Array.from({ length: 5 }, (_, i) => {
    const [lang, text] = context.random.pick(REMARKS);
    const [id, offset_s] = [`${parent}-d${i + 1}`, (i + 1) * 4.5];
    const data = { id, text, offset_s };
    return rawItem(context, { resource: "danmaku", id, parent, lang, score: 0, offset_s, data });
  });
}

function segments(context: SampleContext, { id: parent }: SampleParent): RawItem[] {
  return SUBJECTS.social.slice(0, 5).map(([lang, text], i) => {
    const [id, offset_s] = [`${parent}-s${i}`, i * 6];
    const data = { id, text, offset_s, dur_s: 6, speaker: NICKNAMES[0] };
    return rawItem(context, { resource: "segment", id, parent, lang, score: 0, offset_s, data });
  });
}

function reviews(context: SampleContext, { id: parent }: SampleParent): RawItem[] {
  return REVIEWS.map(([lang, text], i) => {
    const [id, created_at] = [`${parent}-r${i + 1}`, before((i + 1) * DAY_MS)];
    const rating = context.random.int(1, 5);
    const data = { id, product_id: parent, text, rating, created_at };
    return rawItem(context, { resource: "review", id, parent, lang, created_at, score: rating, data });
  });
}

/** Daily prices that fell by a percent a day, the newest at as-of. */
function prices(context: SampleContext, { id: parent, price }: SampleParent): RawItem[] {
  return Array.from({ length: PRICE_DAYS }, (_, day) => {
    const ts = before(day * DAY_MS);
    const current = Math.round(price * (100 + day)) / 100;
    const data = { ts, current, currency: currencyOf(context.platform) };
    const id = `${parent}@${ts.slice(0, 10)}`;
    return rawItem(context, {
      resource: "price",
      id,
      parent,
      lang: "und",
      created_at: ts,
      score: current,
      data,
    });
  });
}

function brandMentions(context: SampleContext, { id: parent }: SampleParent): RawItem[] {
  return REMARKS.map(([lang, text], i) => {
    const [id, created_at] = [`${parent}-m${i + 1}`, before((i + 1) * DAY_MS)];
    const data = { id, text, channel: "microblog", created_at };
    return rawItem(context, { resource: "brand_mention", id, parent, lang, created_at, score: 1, data });
  });
}
