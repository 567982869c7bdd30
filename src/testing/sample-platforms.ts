import type { SAMPLE_PARTS } from "./sample-parts.js";

/** What the sample lake holds of a platform. */
export interface SamplePlatform {
  readonly slug: string;
  /** Its whole things; absent for a platform of creators alone. */
  readonly whole?: {
    readonly resource: "video" | "post" | "product" | "listing" | "article" | "campaign" | "brand";
    /** Id of the n-th, from 1. */
    readonly idOf: (n: number) => string;
    readonly parts: readonly (keyof typeof SAMPLE_PARTS)[];
  };
  readonly creators?: boolean;
  /** Whether its creators have relations, and a price for a booking. */
  readonly market?: boolean;
}

const numbered = (prefix: string) => (n: number) => `${prefix}${n}`;

/** Ids of 19 digits, counting from the first. */
const counting = (first: bigint) => (n: number) => String(first + BigInt(n - 1));

/** Every platform that has raw endpoints in the shipped catalogue; the ids are those of the catalogue's examples. */
export const SAMPLE_PLATFORMS: readonly SamplePlatform[] = [
  {
    slug: "short-video",
    whole: { resource: "video", idOf: counting(7301234567890123456n), parts: ["comment"] },
    creators: true,
  },
  {
    slug: "short-video-lite",
    whole: { resource: "video", idOf: counting(7401234567890123456n), parts: ["comment"] },
  },
  {
    slug: "video-community",
    whole: { resource: "video", idOf: numbered("v"), parts: ["comment", "danmaku"] },
    creators: true,
  },
  {
    slug: "long-video",
    whole: { resource: "video", idOf: numbered("v"), parts: ["comment", "segment"] },
  },
  { slug: "creator-market", creators: true, market: true },
  { slug: "creator-exchange", creators: true },
  { slug: "forum", whole: { resource: "post", idOf: numbered("p"), parts: ["comment"] } },
  {
    slug: "lifestyle-notes",
    whole: { resource: "post", idOf: numbered("n"), parts: ["comment"] },
    creators: true,
  },
  { slug: "intl-short-video", whole: { resource: "video", idOf: numbered("v"), parts: ["comment"] } },
  { slug: "microblog", whole: { resource: "post", idOf: numbered("p"), parts: ["comment"] }, creators: true },
  {
    slug: "sea-marketplace",
    whole: { resource: "product", idOf: numbered("sku-"), parts: ["review", "price"] },
  },
  {
    slug: "global-marketplace",
    whole: { resource: "product", idOf: numbered("sku-"), parts: ["review", "price"] },
  },
  {
    slug: "travel-marketplace",
    whole: { resource: "listing", idOf: numbered("l"), parts: ["review", "price"] },
  },
  { slug: "global-news", whole: { resource: "article", idOf: numbered("a"), parts: [] } },
  { slug: "brand-marketing", whole: { resource: "campaign", idOf: numbered("b"), parts: [] } },
  { slug: "brand-insights", whole: { resource: "brand", idOf: numbered("b"), parts: ["brand_mention"] } },
];
