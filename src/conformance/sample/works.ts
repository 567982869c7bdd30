import type { JsonObject } from "../../contract/json.js";
import { DOMAIN_PREFIX, PLATFORMS, type Platform } from "../../contract/service/platforms.js";
import type { BareRecord, StoredRecord } from "../../contract/service/unified-record.js";
import type { RawItem, SliceItem } from "../../contract/slice/slice-item.js";
import { recordHash } from "../../slice/record-hash.js";

/** Newest capture in the sample, which is its as-of. */
export const SAMPLE_AS_OF = "2026-05-29T12:00:00.000Z";

const HOUR_MS = 3_600_000;

/** Instant some hours before as-of. */
export function hoursBefore(hours: number): string {
  return new Date(Date.parse(SAMPLE_AS_OF) - hours * HOUR_MS).toISOString();
}

/** Languages of the sample's platforms, where they are not English. */
const LANGUAGES: Readonly<Record<string, string>> = {
  microblog: "zh",
  "video-community": "zh",
  "sea-marketplace": "id",
  "travel-marketplace": "es",
};

/** One whole thing of a platform, in the making. */
export interface WorkPlan {
  readonly platform: Platform;
  /** Kind of raw item: `video`, `post`, `product`. */
  readonly resource: string;
  readonly id: string;
  readonly capturedHoursBefore: number;
  /** Words of its own, beside those that every work of the sample has. */
  readonly words: string;
  readonly number: number;
}

/** The platform of a slug. */
export function platformOf(slug: string): Platform {
  const found = PLATFORMS.find((platform) => platform.slug === slug);
  if (found === undefined) throw new Error(`no platform ${slug}`);
  const { label: _, ...platform } = found;
  return platform;
}

/** Id of the unified record of a work. */
export function recordIdOf({ domain, code }: Platform, id: string): string {
  return `${DOMAIN_PREFIX[domain]}_${code}_${id}`;
}

/** A work as a unified record and as a raw item. */
export function workItems(plan: WorkPlan): SliceItem[] {
  const record = toRecord(plan);
  return [
    { kind: "record", record },
    { kind: "raw", raw: toRaw(plan, record) },
  ];
}

function toRecord(plan: WorkPlan): StoredRecord {
  const { platform, id, number, words } = plan;
  const common = {
    id: recordIdOf(platform, id),
    src: platform.domain,
    platform: platform.slug,
    lang: LANGUAGES[platform.slug] ?? "en",
  };
  const line = `Lantern ${words}, number ${number}`;
  const bare: BareRecord = { ...common, ...BODIES[platform.domain](line, number, platform.slug) };
  const prov = {
    hash: recordHash(bare),
    ts: hoursBefore(plan.capturedHoursBefore),
    source: `${platform.slug}/sample`,
  };
  return { ...bare, prov };
}

type Body = Omit<BareRecord, "id" | "src" | "platform" | "lang">;

const BODIES: Readonly<Record<Platform["domain"], (line: string, n: number, slug: string) => Body>> = {
  social: (line, n) => ({
    text: `${line}, seen at the harbour`,
    author: { uid_hash: `a1b2c3d4e5f60${n % 10}00`.slice(0, 16), followers: 100 + n },
    metrics: { likes: 50 + n, comments: 5, shares: n, saves: n, plays: 900 + n, views: 900 + n },
    comment_thread: ["What a light", `Number ${n} is the best`],
    extra: { video_dur_s: 15 + n, topic: "lanterns" },
  }),
  ecommerce: (line, n) => ({
    title: `${line}, paper, beside a wireless mouse`,
    metrics: { rating: 4.5, reviews: 5, sold: 10 + n, orders: 12 + n, monthly_sales: n, bsr: n + 1 },
    price: { current: 10 + n, currency: "USD", drop_7d: -2.5 },
    review_sample: ["Bright", "Arrived on time"],
    extra: { stock: 7, category: "lighting" },
  }),
  web: (line, n, slug) => ({
    title: `${line} lights the river`,
    text: `The ${line} was lit on the river on ${slug}.`,
    sentiment: { score: 0.5 - n / 10, label: n > 5 ? "negative" : "positive" },
    entities: ["River", "Lantern House"],
    extra: { outlet_tier: 1 },
  }),
};

function toRaw(
  { platform, resource, id, number, capturedHoursBefore }: WorkPlan,
  record: StoredRecord,
): RawItem {
  const { extra, author, metrics, prov, src, lang, text, title } = record;
  const published = hoursBefore(capturedHoursBefore + 1);
  const people = {
    nickname: "Sample Person",
    uid: "700100",
    sec_uid: "sec-700100",
    unique_id: "sample.person",
  };
  const data = {
    id: record.id,
    src,
    platform: platform.slug,
    lang,
    text,
    title,
    ...(src === "social" ? { author: { ...author, ...people } } : {}),
    ...(metrics === undefined ? {} : { metrics: resource === "video" ? videoMetrics(metrics) : metrics }),
    price: record.price,
    extra: {
      ...extra,
      source_id: id,
      published_at: published,
      topics: ["lanterns", "river"],
      content_type: resource,
      cover_url: `https://img.example/${id}.jpg`,
      url: `https://www.example/${platform.slug}/${id}`,
    },
    prov,
  };
  return {
    platform: platform.slug,
    resource,
    id,
    author: `creator-${1 + (number % 3)}`,
    lang,
    captured_at: prov.ts,
    created_at: published,
    score: 50 + number,
    data: data as unknown as JsonObject,
  };
}

/** The counters that a raw video has (service.md section 2.4). */
function videoMetrics({ likes, comments, shares, saves, plays }: NonNullable<StoredRecord["metrics"]>) {
  return { likes, comments, shares, saves, plays };
}
