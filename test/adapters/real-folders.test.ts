import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RawItem, SliceItem } from "../../src/contract/slice/slice-item.js";
import type { Adapter, Converted } from "../../src/ingest/adapters/adapter.js";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { ingest } from "../../src/ingest/ingest.js";
import { CAMPAIGN } from "../support/campaign.js";
import { checkItem, convertFolder, sharedFolder, sortOut } from "./support.js";

const CAPTURED = "2026-05-30T00:00:00+00:00";
const MICROBLOG = "social_weibo_zh";

interface Expected {
  readonly read: number;
  readonly records: number;
  readonly raw: Readonly<Record<string, number>>;
  readonly rejected?: number;
  readonly unused?: number;
  readonly duplicates?: number;
  /** The source tells when it was captured. */
  readonly ownCapture?: boolean;
}

/** What is in each folder, counted by other means (Python's json and csv, DuckDB). */
const FOLDERS: readonly (readonly [folder: string, adapter: string, expected: Expected])[] = [
  [
    "social_short_video_native",
    "short-video-native",
    // 62 + 4 lines; answers of 25, 30, 1 and 30 videos, 28 accounts, 2 comments, 2 replies: 62 + 30 distinct videos.
    { read: 184, records: 92, raw: { video: 92, comment: 8, creator: 88, topic: 87 }, duplicates: 4 },
  ],
  [
    MICROBLOG,
    "microblog-tree",
    // 18,156 rows tell of 18,145 comments: eleven are there twice.
    { read: 18_280, records: 124, raw: { post: 124, comment: 18_145 } },
  ],
  [
    "social_video_community_zh",
    "video-community",
    // Two files tell of the same 100 comments; 2,769 labelled ones and the video are records.
    { read: 3069, records: 2770, raw: { video: 1, comment: 100, danmaku: 100 } },
  ],
  [
    "social_long_video_transcripts_en",
    "video-transcripts",
    CAMPAIGN
      ? { read: 419, records: 419, raw: { video: 419, segment: 214_455 } }
      : { read: 25, records: 25, raw: { video: 25, segment: 18_549 } },
  ],
  [
    "ecom_marketplace_reviews_id",
    "marketplace-reviews",
    { read: 5400, records: 1308, raw: { product: 1308, review: 5400 }, duplicates: 7 },
  ],
  [
    "ecom_price_history_es",
    "price-history",
    { read: 47_864, records: 5078, raw: { price: 47_864 }, ownCapture: true },
  ],
  [
    "emb_azure_products_en",
    "products-with-vectors",
    { read: 101, records: 101, raw: { product: 101, price: 101 } },
  ],
  ["emb_autodoc_solana_en", "documents-with-vectors", { read: 524, records: 524, raw: {} }],
  ["emb_roam_qa_en", "documents-with-vectors", { read: 34, records: 34, raw: {} }],
  [
    "web_news_gdelt",
    "gdelt",
    { read: 400, records: 150, raw: { article: 150, event: 150, mention: 100 }, ownCapture: true },
  ],
  ["web_news_sentiment_en", "news-sentiment", { read: 7758, records: 7758, raw: {} }],
  [
    "web_indonlu_id",
    "indonlu",
    // 70,047 of the lines are tokens of 2,090 sentences, the blank lines between which are left out.
    CAMPAIGN
      ? { read: 101_632, records: 31_585, raw: { review: 2854 }, unused: 2090, duplicates: 248 }
      : { read: 10_107, records: 3124, raw: { review: 285 }, unused: 209, duplicates: 4 },
  ],
  // Two abstracts are empty.
  ["ir_cranfield_en", "beir", { read: 1400, records: 1398, raw: {}, rejected: 2 }],
  ["ir_xquad_multi", "beir", { read: 2880, records: 2880, raw: {} }],
];

/** Takes long, and is converted below too. */
const LONG = ["ecom_price_history_es"];

/** What `npm test` reads of a long folder: the first lines of a file, or files as they are. A campaign reads all of it. */
const SHARES: Readonly<Record<string, Readonly<Record<string, number | "whole">>>> = {
  social_long_video_transcripts_en: { "videos.jsonl": 25 },
  web_indonlu_id: Object.fromEntries(
    [
      "casa_absa-prosa/valid_preprocess.csv",
      "emot_emotion-twitter/valid_preprocess.csv",
      "hoasa_absa-airy/valid_preprocess.csv",
      "nergrit_ner-grit/valid_preprocess.txt",
      "nerp_ner-prosa/valid_preprocess.txt",
      "nerp_ner-prosa/valid_sentences.jsonl",
      "smsa_doc-sentiment-prosa/valid_preprocess.tsv",
    ].map((file) => [file, "whole"]),
  ),
  ecom_price_history_es: {
    "snapshot_date=2026-05-28/valencia_46001.parquet": "whole",
    "snapshot_date=2026-05-29/barcelona_08001.parquet": "whole",
    "snapshot_date=2026-05-29/valencia_46001.parquet": "whole",
  },
};

let out = "";

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "real-folders-"));
});
afterAll(() => rm(out, { recursive: true, force: true }));

/** The folder of the real data, or a copy of its share. */
async function folderOf(name: string): Promise<string> {
  const whole = sharedFolder(name)!;
  const share = SHARES[name];
  if (CAMPAIGN || share === undefined) return whole;
  const copy = join(out, "shares", name);
  for (const [file, lines] of Object.entries(share)) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    if (lines === "whole") await copyFile(join(whole, file), join(copy, file));
    else {
      const text = await readFile(join(whole, file), "utf8");
      await writeFile(join(copy, file), `${text.split("\n", lines).join("\n")}\n`);
    }
  }
  return copy;
}

/** The adapter, every item that it emits checked and shown to `see` on its way to the slices. */
function watched(adapter: Adapter, see: (item: SliceItem) => void): Adapter {
  return {
    ...adapter,
    async *convert(rows, context) {
      for await (const batch of adapter.convert(rows, context)) {
        for (const one of batch as readonly Converted[]) {
          if (!("ok" in one)) continue;
          checkItem(one.ok);
          see(one.ok);
        }
        yield batch;
      }
    },
  };
}

/** Ingests a folder, and counts what its adapter makes. */
async function ingestFolder(
  folder: string,
  name: string,
  ownCapture: boolean,
  see: (item: SliceItem) => void = () => {},
) {
  const path = await folderOf(folder);
  const counts: Record<string, number> = {};
  const adapter = watched(await loadAdapter(name), (item) => {
    const kind = item.kind === "raw" ? item.raw.resource : "records";
    counts[kind] = (counts[kind] ?? 0) + 1;
    see(item);
  });
  const report = await ingest([path], {
    adapter,
    out: join(out, folder),
    authorSalt: "salt",
    ...(ownCapture ? {} : { capturedAt: CAPTURED }),
  });
  return { report, counts };
}

let trees: Promise<Awaited<ReturnType<typeof ingestFolder>> & { readonly comments: RawItem[] }> | undefined;

/** The microblog trees, which two tests look at: the first that asks ingests them. */
function microblogTrees() {
  const ingested = async () => {
    const comments: RawItem[] = [];
    const made = await ingestFolder(MICROBLOG, "microblog-tree", false, (item) => {
      if (item.kind === "raw" && item.raw.resource === "comment") comments.push(item.raw);
    });
    return { ...made, comments };
  };
  trees ??= ingested();
  return trees;
}

const absent = sharedFolder(".") === undefined;
if (absent) console.warn("the shared data is absent: tests on the real folders are skipped");

describe.skipIf(absent)("the real folders, through ingestion", () => {
  it.each(FOLDERS.filter(([folder]) => CAMPAIGN || !LONG.includes(folder)))(
    "%s by %s",
    { tags: "slow" },
    async (folder, name, expected) => {
      const { report, counts } =
        folder === MICROBLOG
          ? await microblogTrees()
          : await ingestFolder(folder, name, expected.ownCapture === true);
      const { records, ...raw } = counts;
      expect({ read: report.read, records, raw }).toEqual({
        read: expected.read,
        records: expected.records,
        raw: expected.raw,
      });
      expect(report.rejected).toBe(expected.rejected ?? 0);
      expect(report.unused).toBe(expected.unused ?? 0);
      expect(report.duplicates).toBe(expected.duplicates ?? 0);
      // All that was made is in the slices, but for what was there twice.
      const made = Object.values(counts).reduce((a, b) => a + b, 0);
      expect(report.records + report.raw).toBe(made - report.duplicates);
      expect(report.filesNotRead.filter(({ expected: known }) => !known)).toEqual([]);
    },
  );
});

describe.skipIf(absent)("what the real folders say", () => {
  async function converted(folder: string, adapter: string) {
    const path = await folderOf(folder);
    const capturedAt = folder.includes("price") || folder.includes("gdelt") ? (undefined as never) : CAPTURED;
    return sortOut(await convertFolder(await loadAdapter(adapter), path, { capturedAt }));
  }

  it("a product has the prices of its newest day at every place", { tags: "slow" }, async () => {
    const found = await converted("ecom_price_history_es", "price-history");
    // 6.30 everywhere but Barcelona, all three days.
    expect(found.records.find(({ id }) => id === "eco_gro_8870")).toMatchObject({
      price: { currency: "EUR" },
      extra: { price_min: 6.3, price_max: 6.5 },
    });
  });

  it("the microblog trees reach fifteen levels, and every answer has its comment", {
    tags: "slow",
  }, async () => {
    const found = await microblogTrees();
    const comments = new Map(found.comments.map((comment) => [comment.id, comment]));
    const answers = new Map<string, number>();
    let deepest = 0;
    for (const comment of comments.values()) {
      let depth = 1;
      for (let at = comment.reply_to; at !== undefined; at = comments.get(at)!.reply_to) depth++;
      deepest = Math.max(deepest, depth);
      if (comment.reply_to !== undefined)
        answers.set(comment.reply_to, (answers.get(comment.reply_to) ?? 0) + 1);
    }
    expect(deepest).toBe(15);
    for (const { id, data } of comments.values()) expect(data.reply_count).toBe(answers.get(id) ?? 0);
  });

  it("vectors are of unit norm, and the products have brands and prices", async () => {
    const found = await converted("emb_azure_products_en", "products-with-vectors");
    for (const vector of found.vectors) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
    }
    expect(found.vectors).toHaveLength(101);
    expect(found.records[0]).toMatchObject({
      title: "Wanderer Black Hiking Boots",
      price: { current: 109.99, currency: "USD" },
      extra: { brand: "Daybird", category: "Footwear" },
    });
  });

  it("the same folder gives the same items again", async () => {
    const first = await converted("web_news_gdelt", "gdelt");
    const second = await converted("web_news_gdelt", "gdelt");
    expect(second.records).toEqual(first.records);
    expect(second.raw()).toEqual(first.raw());
  });
});
