import type { StoredRecord } from "../../src/contract/service/unified-record.js";
import type { RawItem, SliceItem, SourceInfo } from "../../src/contract/slice/slice-item.js";
import { recordHash } from "../../src/slice/record-hash.js";

/** Small seeded generator (xorshift) for test data. */
export function random(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

export const INFO: SourceInfo = {
  title: "Test items",
  licence: "MIT",
  attribution: "Nobody",
  platforms: [],
  vectorModel: "test-model",
};

const WORDS =
  "phone camera laptop shoes 手机 相机 rumah murah noticias mercado café news rain river stone".split(" ");

function words(next: () => number, count: number): string {
  return Array.from({ length: count }, () => WORDS[Math.floor(next() * WORDS.length)]).join(" ");
}

/** An instant of capture: day 1 to 60 from May 2026. */
export function instant(day: number, offset = "Z"): string {
  return `${new Date(Date.UTC(2026, 4, 1 + day, 12)).toISOString().slice(0, 19)}${offset}`;
}

export function withHash(record: Omit<StoredRecord, "prov">, ts: string, source?: string): StoredRecord {
  return { ...record, prov: { hash: recordHash(record), ts, source } };
}

/** Record `n` of edition `edition`: the same number gives the same id, the edition changes what it says and when. */
export function makeRecord(n: number, edition = 0): StoredRecord {
  const next = random(n * 7 + edition * 7919 + 1);
  const ts = instant((n % 40) + edition, n % 3 === 0 ? "+08:00" : "Z");
  switch (n % 3) {
    case 0:
      return withHash(
        {
          id: `soc_mbl_${n}`,
          src: "social",
          platform: "microblog",
          lang: n % 2 ? "zh" : "en",
          text: words(next, 12),
          author: { uid_hash: `u${n % 50}`, ...(n % 4 ? {} : { followers: n * 10 }) },
          metrics: { likes: Math.floor(next() * 1000), shares: n, comments: n % 7 },
          comment_thread: n % 5 ? [words(next, 4), words(next, 3)] : [],
          extra: { topic: words(next, 1), source_id: String(n), stock: n % 2 ? n : "few", zeta: ["a", "b"] },
        },
        ts,
        "test",
      );
    case 1:
      return withHash(
        {
          id: `eco_glm_${n}`,
          src: "ecommerce",
          platform: "global-marketplace",
          lang: "en",
          title: words(next, 5),
          price: {
            current: Math.round(next() * 1e4) / 100,
            currency: "USD",
            ...(n % 2 ? { drop_7d: -2.5 } : {}),
          },
          metrics: { rating: 4.5, sold: n },
          review_sample: [words(next, 6)],
          ...(n % 4 ? {} : { extra: {} }),
        },
        ts,
      );
    default:
      return withHash(
        {
          id: `web_gnw_${n}`,
          src: "web",
          platform: "global-news",
          lang: n % 2 ? "es" : "id",
          title: words(next, 6),
          sentiment: { score: next() * 2 - 1, label: "neutral" },
          entities: [words(next, 1), "Río de la Plata"],
        },
        ts,
      );
  }
}

export function makeVector(n: number): Float32Array {
  const next = random(n + 17);
  const values = Float32Array.from({ length: 1536 }, () => next() - 0.5);
  const norm = Math.hypot(...values);
  return values.map((value) => value / norm);
}

/** Comment `n`: of video n / 10, every third one a reply to the comment before it. */
export function makeComment(n: number, edition = 0): RawItem {
  const next = random(n * 13 + edition + 5);
  const day = (n % 40) + edition;
  return {
    platform: "short-video",
    resource: "comment",
    id: String(7_000_000 + n),
    parent: String(100_000_000_000_000 + Math.floor(n / 10)),
    ...(n % 3 === 2 ? { reply_to: String(7_000_000 + n - 1) } : {}),
    author: `u${n % 20}`,
    lang: n % 2 ? "zh" : "en",
    captured_at: instant(day),
    ...(n % 11 === 0 ? {} : { created_at: instant(-(n % 10)) }),
    score: Math.floor(next() * 50),
    data: {
      cid: String(7_000_000 + n),
      text: words(next, 8),
      likes: n,
      images: [],
      nested: { a: [1, null] },
    },
  };
}

export function makeItems(from: number, to: number, edition = 0): SliceItem[] {
  const items: SliceItem[] = [];
  for (let n = from; n < to; n++) {
    const record = makeRecord(n, edition);
    items.push(n % 4 === 0 ? { kind: "record", record, vector: makeVector(n) } : { kind: "record", record });
    items.push({ kind: "raw", raw: makeComment(n, edition) });
  }
  return items;
}

/** As {@link makeItems}, all of one platform, language and month: one slice, for tests that are not of what several hold. */
export function makeAlike(from: number, to: number, edition = 0): SliceItem[] {
  const ts = instant(edition);
  const items: SliceItem[] = [];
  for (let n = from; n < to; n++) {
    const { prov: _, ...facts } = makeRecord(n * 3 + 1, edition);
    const record = withHash(facts, ts);
    items.push(n % 4 === 0 ? { kind: "record", record, vector: makeVector(n) } : { kind: "record", record });
    const { platform, lang } = record;
    items.push({ kind: "raw", raw: { ...makeComment(n, edition), platform, lang, captured_at: ts } });
  }
  return items;
}

/** The items in batches, as an ingest pipeline gives them. */
export async function* batches(items: readonly SliceItem[], size = 100): AsyncGenerator<SliceItem[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size);
}

export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = random(seed);
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
}
