import { datasetPath } from "../../slice/dataset-paths.js";
import { DOMAIN_PREFIX, PLATFORMS } from "../platforms.js";

/*
 * Invented data for the examples of the OpenAPI document. A test checks each against the schemas of its rows.
 */

const HASH = "0x9f2c5e0b7a4d4f1b8e6a3c2d1f0e9b8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f";
const CAPTURED = "2026-05-29T12:00:00+00:00";
const CREATED = "2026-05-28T09:30:00+00:00";
const VIDEO_ID = "7301234567890123456";

const AUTHOR = { uid_hash: "a86889f7d3011445", followers: 1204 };
const RAW_AUTHOR = {
  ...AUTHOR,
  nickname: "harbour_walks",
  uid: "700100",
  sec_uid: "s-700100",
  unique_id: "harbour",
};

/** Provenance of a raw answer. */
export const PROV = { hash: HASH, ts: CAPTURED, source: "short-video/sample" };

/** The domain-specific fields of a record. */
const BODIES = {
  social: {
    text: "A small balcony garden that survived a very dry summer",
    author: AUTHOR,
    metrics: { likes: 5120, comments: 57, shares: 88, saves: 240, plays: 91_300 },
    comment_thread: ["Which tomatoes are these?"],
  },
  ecommerce: {
    title: "Wireless mouse with silent buttons, rechargeable",
    metrics: { rating: 4.6, reviews: 812, sold: 15_400 },
    price: { current: 18.9, currency: "USD", drop_7d: -5.5 },
    review_sample: ["Works as described, arrived in two days"],
  },
  web: {
    title: "Port city opens a tidal power station",
    sentiment: { score: 0.4, label: "positive" },
    entities: ["Harbour Authority"],
  },
} as const;

/** A unified record of a platform without its vector, with its provenance. */
export function exampleRecord(slug: string, id: string) {
  const platform = PLATFORMS.find((known) => known.slug === slug);
  const { domain, code } = platform ?? ({ domain: "social", code: "own" } as const);
  return {
    id: `${DOMAIN_PREFIX[domain]}_${code}_${id}`,
    src: domain,
    platform: slug,
    lang: "en",
    ...BODIES[domain],
    prov: { hash: HASH, ts: CAPTURED },
  };
}

/** The same record in the shape of a raw endpoint. */
export function exampleRawRecord(slug: string, id: string) {
  const { prov: _, ...record } = exampleRecord(slug, id);
  const extra = { source_id: id, published_at: CREATED, url: `https://example.com/${id}` };
  return { ...record, extra, prov: { ...PROV, source: `${slug}/sample` } };
}

/** A raw video record (service.md section 2.4). */
export function exampleVideo() {
  const { comment_thread: _, ...record } = {
    comment_thread: [],
    ...exampleRawRecord("short-video", VIDEO_ID),
  };
  const extra = {
    video_dur_s: 34,
    topic: "gardening",
    topics: ["gardening", "balcony"],
    content_type: "video",
  };
  return { ...record, author: RAW_AUTHOR, extra: { ...record.extra, ...extra } };
}

/** Items of lists, by resource. */
export const EXAMPLE_ITEMS: Readonly<Record<string, object>> = {
  comment: {
    cid: "7301234567890200001",
    text: "Which tomatoes are these?",
    likes: 412,
    ip_location: "Guangdong",
    reply_count: 3,
    created_at: CREATED,
    is_hot: true,
    images: [],
    author: {
      uid_hash: "00ff00ff00ff1001",
      nickname: "lena.k",
      uid: "700200",
      sec_uid: "s-700200",
      unique_id: null,
    },
  },
  danmaku: { id: "d1", text: "Here it comes", offset_s: 12.5, created_at: CREATED },
  segment: { id: "v1:0", text: "Welcome to the workshop", offset_s: 0, dur_s: 4.2, speaker: "Lena" },
  review: { id: "r1", text: "Works as described, arrived in two days", rating: 5, created_at: CREATED },
  brand_mention: {
    id: "m1",
    text: "Their new lamp is everywhere",
    channel: "microblog",
    created_at: CREATED,
  },
  creator: { creator_id: "creator-1", nickname: "harbour_walks", uid_hash: AUTHOR.uid_hash, followers: 1204 },
};

/** Answers of operations other than items and lists of items. */
export const EXAMPLE_ANSWERS: Readonly<Record<string, object>> = {
  trend: {
    unit: "day",
    total: 42,
    buckets: [{ start: "2026-05-28T00:00:00.000Z", count: 42, score: 9310 }],
    prov: PROV,
  },
  "price-path": {
    id: "sku-1",
    series: [
      {
        location: null,
        currency: "USD",
        points: [
          { ts: "2026-05-28T00:00:00+00:00", current: 20, currency: "USD" },
          { ts: "2026-05-29T00:00:00+00:00", current: 18.9, currency: "USD" },
        ],
        low: 18.9,
        high: 20,
        change_pct: -5.5,
      },
    ],
    prov: PROV,
  },
  creator: { ...EXAMPLE_ITEMS.creator, items_held: 12, prov: PROV },
  "creator-graph": {
    creator_id: "creator-1",
    nodes: [{ id: "creator-1" }, { id: "creator-2", nickname: "lena.k" }],
    edges: [{ from: "creator-1", to: "creator-2", kind: "collaborates", weight: 4 }],
    prov: PROV,
  },
  "account-show": {
    account_id: "local",
    balance_usd: "99.994500",
    topped_up: false,
    free_quota: { limit: 1000, remaining: 998 },
    rate: { limit: 60, remaining: 57, window_s: 60 },
    key: { id: "key_1a2B3c4D", scopes: ["*"] },
  },
  "account-usage": {
    items: [
      {
        day: "2026-05-29",
        endpoint: "search",
        key: "key_1a2B3c4D",
        calls: 3,
        charged: 1,
        free: 1,
        empty: 1,
        errors: 0,
        spent_usd: "0.004000",
      },
    ],
    calls: 3,
    spent_usd: "0.004000",
  },
  "account-ledger": {
    items: [
      {
        seq: 2,
        at: CAPTURED,
        kind: "call",
        amount_usd: "-0.004000",
        balance_usd: "99.996000",
        outcome: "charged",
        endpoint: "search",
        key: "key_1a2B3c4D",
      },
    ],
    cursor: 2,
    has_more: false,
  },
  "account-top-up": { balance_usd: "110.000000", topped_up: true, rate_limit_per_minute: 600 },
  "account-revoke-key": {
    id: "key_1a2B3c4D",
    name: "notebook",
    scopes: ["search"],
    created_at: CREATED,
    revoked_at: CAPTURED,
  },
  "account-create-key": {
    id: "key_1a2B3c4D",
    name: "notebook",
    scopes: ["search", "raw:short-video"],
    created_at: CREATED,
    revoked_at: null,
    api_key: "ml_00000000000000000000000000000000",
  },
};

/** An entry of the platform directory. */
export const EXAMPLE_DIRECTORY_ENTRY = {
  platform: "sea-marketplace",
  name: "Southeast-Asia marketplace",
  domain: "ecommerce",
  code: "sea",
  kind: "marketplace",
  capabilities: ["search", "slices", "product", "products", "reviews", "price-path"],
  freshness_class: "daily_plus_price",
  access: ["L1", "L2", "MCP"],
  records: 1308,
  slices: 2,
};

const ROOT = HASH.slice(2);

/** The manifest of a slice in the service's list. */
export const EXAMPLE_MANIFEST = {
  $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
  name: "sea-marketplace-id-2026-05",
  title: "Marketplace reviews",
  version: "1",
  licenses: [{ name: "MIT" }],
  resources: [
    {
      name: "records",
      type: "table",
      path: "records.parquet",
      format: "parquet",
      mediatype: "application/vnd.apache.parquet",
      bytes: 482_113,
      hash: `sha256:${ROOT}`,
      rows: 1308,
      schema: { fields: [{ name: "id", type: "string" }], primaryKey: ["id"] },
    },
  ],
  mirrorlake: {
    formatVersion: 1,
    root: ROOT,
    filter: {
      domain: "ecommerce",
      platform: "sea-marketplace",
      lang: "id",
      from: "2026-05-01T00:00:00Z",
      to: "2026-06-01T00:00:00Z",
    },
    counts: { records: 1308, raw: 0, vectors: 0, resources: {} },
    captured: { first: CAPTURED, last: CAPTURED },
    embedding: null,
    platform: {
      slug: "sea-marketplace",
      domain: "ecommerce",
      code: "sea",
      name: "Southeast-Asia marketplace",
    },
    revision: 1,
    supersedes: [],
  },
  download_url: datasetPath(ROOT, "datapackage.json"),
};
