import type { JsonObject } from "../../contract/json.js";
import type { RawItem } from "../../contract/slice/slice-item.js";
import { hoursBefore } from "./works.js";

/** What the parts of a work hang on. */
export interface PartOf {
  readonly platform: string;
  readonly parent?: string;
  readonly replyTo?: string;
}

type Data = Readonly<Record<string, unknown>>;

/** Age of the `n`-th part: the newest are not in the order of the best, so that a test can tell the two orders. */
function partAge(n: number): number {
  return (n ^ 1) + 1;
}

/** Data of a part by its resource; `n` counts from 1. */
const SHAPES: Readonly<Record<string, (id: string, n: number, of: PartOf) => Data>> = {
  comment: (cid, n, of) => ({
    cid,
    text: `Comment ${n} on the lantern`,
    likes: 100 - n,
    ip_location: "Harbour",
    reply_count: of.replyTo === undefined && n === 1 ? 3 : 0,
    created_at: hoursBefore(partAge(n) / 60),
    is_hot: n === 1,
    images: [],
    author: {
      uid_hash: `00ff00ff00ff${1000 + n}`,
      nickname: `Person ${n}`,
      uid: `${n}`,
      sec_uid: `s${n}`,
      unique_id: null,
    },
  }),
  danmaku: (id, n) => ({ id, text: `Light ${n}`, offset_s: n, created_at: hoursBefore(partAge(n)) }),
  segment: (id, n) => ({ id, text: `Segment ${n} of the talk`, offset_s: n * 5, dur_s: 5 }),
  review: (id, n) => ({
    id,
    text: `Review ${n}: bright`,
    rating: 1 + (n % 5),
    created_at: hoursBefore(partAge(n)),
  }),
  brand_mention: (id, n) => ({
    id,
    text: `Mention ${n}`,
    channel: "forum",
    created_at: hoursBefore(partAge(n)),
  }),
  creator: (id, n) => ({
    creator_id: id,
    nickname: `Creator ${n}`,
    uid_hash: `c0ffee${1000 + n}`,
    followers: 1000 * n,
  }),
  relation: (id, n, of) => ({ from: of.parent, to: id, kind: "follows", weight: n }),
  price: (_id, n) => ({ ts: hoursBefore(24 * n), current: 10 + n, currency: "USD" }),
};

/** Resources that {@link partItem} can make. */
export const PART_RESOURCES: ReadonlySet<string> = new Set(Object.keys(SHAPES));

/** One part of a work, or a creator: the `n`-th of its kind. */
export function partItem(resource: string, id: string, n: number, of: PartOf): RawItem {
  const shape = SHAPES[resource];
  if (shape === undefined) throw new Error(`the sample has no shape for ${resource}`);
  const data = shape(id, n, of);
  return {
    platform: of.platform,
    resource,
    id,
    parent: of.parent,
    reply_to: of.replyTo,
    author: `creator-${10 + (n % 4)}`,
    lang: "en",
    captured_at: hoursBefore(2),
    created_at: resource === "price" ? hoursBefore(24 * n) : hoursBefore(partAge(n) / 60),
    score: 100 - n,
    ...(typeof data.offset_s === "number" ? { offset_s: data.offset_s } : {}),
    data: data as JsonObject,
  };
}
