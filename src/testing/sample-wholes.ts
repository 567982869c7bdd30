import type { JsonObject } from "../contract/json.js";
import { DOMAIN_PREFIX } from "../contract/platforms.js";
import { type BareRecord, StoredRecord } from "../contract/records.js";
import type { SliceItem } from "../contract/slice-item.js";
import { recordHash } from "../corpus/record-hash.js";
import {
  before,
  creatorId,
  currencyOf,
  DAY_MS,
  HOUR_MS,
  rawAuthor,
  rawItem,
  type SampleContext,
  uidHash,
} from "./sample-item.js";
import { COMMENT_COUNT, SAMPLE_PARTS } from "./sample-parts.js";
import type { SamplePlatform } from "./sample-platforms.js";
import { REMARKS, REVIEWS, SUBJECTS } from "./sample-text.js";

/** Whole things of a platform. */
const WHOLE_COUNT = 6;

/** The whole things of a platform, each a unified record and a raw item, and what hangs on them. */
export function sampleWholes(
  context: SampleContext,
  { idOf, parts, resource }: NonNullable<SamplePlatform["whole"]>,
): SliceItem[] {
  return Array.from({ length: WHOLE_COUNT }, (_, i) => i + 1).flatMap((n): SliceItem[] => {
    const id = idOf(n);
    const price = context.random.int(2_000, 10_000) / 100;
    const { record, source } = unified(context, { id, n, price });
    const author = creatorId(n);
    const raw = rawItem(context, {
      resource,
      id,
      lang: record.lang,
      captured_at: record.prov.ts,
      created_at: createdAt(n),
      score: record.metrics?.likes ?? record.metrics?.reviews ?? WHOLE_COUNT - n,
      ...(record.author === undefined ? {} : { author }),
      data: rawData(record, { id, n, author, source }),
    });
    const hanging = parts.flatMap((part) => SAMPLE_PARTS[part](context, { id, n, price }));
    return [
      { kind: "record", record },
      ...[raw, ...hanging].map((item): SliceItem => ({ kind: "raw", raw: item })),
    ];
  });
}

const createdAt = (n: number) => before(n * DAY_MS + (n - 1) * HOUR_MS);

interface Facts {
  readonly id: string;
  readonly n: number;
  readonly price: number;
}

function unified(context: SampleContext, facts: Facts): { record: StoredRecord; source: string } {
  const { domain, slug, code } = context.platform;
  const subjects = SUBJECTS[domain];
  const [lang, subject] = subjects[(facts.n - 1 + code.charCodeAt(0)) % subjects.length]!;
  const bare: BareRecord = {
    id: `${DOMAIN_PREFIX[domain]}_${code}_${facts.id}`,
    src: domain,
    platform: slug,
    lang,
    ...domainFields(context, subject, facts),
    extra: { category: "sample", published_at: createdAt(facts.n) },
  };
  const prov = { hash: recordHash(bare), ts: before((facts.n - 1) * 3 * HOUR_MS) };
  return { record: StoredRecord.parse({ ...bare, prov }), source: `sample/${slug}` };
}

/** The fields of a unified record that its domain has (service.md section 2.3). */
function domainFields(
  { platform, random }: SampleContext,
  subject: string,
  facts: Facts,
): Partial<BareRecord> {
  const count = (max: number) => random.int(1, max);
  switch (platform.domain) {
    case "social":
      return {
        text: subject,
        author: { uid_hash: uidHash(creatorId(facts.n)), followers: count(90_000) },
        metrics: {
          likes: count(9_000),
          comments: facts.n === 1 ? COMMENT_COUNT : 1,
          saves: count(900),
          shares: count(500),
          plays: count(200_000),
          views: count(200_000),
          danmaku: count(300),
          coins: count(400),
        },
        comment_thread: [random.pick(REMARKS)[1]],
      };
    case "ecommerce":
      return {
        title: subject,
        metrics: {
          rating: count(50) / 10,
          orders: count(4_000),
          reviews: count(900),
          monthly_sales: count(800),
          bsr: count(5_000),
          sold: count(20_000),
        },
        price: { current: facts.price, currency: currencyOf(platform), drop_7d: -count(30) },
        review_sample: [random.pick(REVIEWS)[1]],
      };
    case "web":
      return {
        title: subject,
        sentiment: { score: count(20) / 10 - 1, label: "neutral" },
        entities: ["Harbour Authority", "Northern Route"],
      };
  }
}

/** The record as raw endpoints answer it; a short-video platform's has exactly the fields of service.md section 2.4. */
function rawData(
  record: StoredRecord,
  { id, n, author, source }: { id: string; n: number; author: string; source: string },
): JsonObject {
  const { comment_thread: _, metrics, ...rest } = record;
  const prov = { ...record.prov, source };
  const extra = {
    source_id: id,
    published_at: createdAt(n),
    url: `https://example.com/${record.platform}/${id}`,
  };
  const by = record.author === undefined ? {} : { author: rawAuthor(author) };
  if (record.platform !== "short-video") return { ...record, ...by, extra, prov } as JsonObject;
  const { likes, comments, shares, saves, plays } = metrics ?? {};
  return {
    ...rest,
    ...by,
    metrics: { likes, comments, shares, saves, plays },
    extra: { ...extra, video_dur_s: 30 + n, topic: "sample", topics: ["sample"], content_type: "video" },
    prov,
  } as JsonObject;
}
