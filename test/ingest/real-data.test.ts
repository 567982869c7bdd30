import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ReadOptions } from "../../src/ingest/adapters/source-spec.js";
import { readAll } from "./support.js";

const DATA = fileURLToPath(new URL("../../../shared/data/", import.meta.url));

/** What is in the real collections, counted by other means (`wc -l`, Python's json and csv). */
const CASES: readonly [folder: string, files: string, rows: number, read?: ReadOptions][] = [
  ["social_weibo_zh", "posts.jsonl", 124],
  ["social_weibo_zh", "comments.jsonl", 18_156],
  ["social_short_video_native", "comments.json", 2, { as: "json", rows: "data.comments" }],
  ["social_short_video_native", "comments_flat.jsonl", 4],
  ["social_short_video_native", "videos_flat.jsonl", 62],
  ["social_short_video_native", "tags.json", 30, { as: "json", rows: "data" }],
  ["social_short_video_native", "video_detail.json", 1, { as: "json", rows: "data.itemInfo.itemStruct" }],
  ["social_video_community_zh", "comments_BV_top184_meta.csv", 100],
  ["social_video_community_zh", "danmaku_predicted.csv", 100],
  ["social_video_community_zh", "labeled_comments.csv", 2769],
  ["social_long_video_transcripts_en", "videos.jsonl", 419],
  ["ecom_marketplace_reviews_id", "*.csv", 5400],
  ["ecom_price_history_es", "snapshot_date=2026-05-27/*.parquet", 4352],
  ["emb_azure_products_en", "records.parquet", 101],
  ["emb_autodoc_solana_en", "records.parquet", 524],
  ["emb_roam_qa_en", "records.parquet", 34],
  ["web_news_gdelt", "*.jsonl", 400],
  ["web_news_sentiment_en", "train.jsonl", 7758],
  ["ir_cranfield_en", "beir/corpus.jsonl", 1400],
  ["ir_xquad_multi", "beir/qrels/test.tsv", 14_280],
  ["web_indonlu_id", "casa*/*.csv", 1080],
  ["web_indonlu_id", "smsa*/*.tsv", 12_760, { as: "csv", quote: null, columns: ["text", "label"] }],
];

if (!existsSync(DATA)) console.warn(`${DATA} is absent: tests on the real collections are skipped`);

describe.skipIf(!existsSync(DATA))("real collections", () => {
  it.each(CASES)("%s %s has %i rows", async (folder, files, count, read) => {
    const { rows, rejects } = await readAll(`${DATA}${folder}`, {
      files: [files],
      read,
    });
    expect(rejects).toEqual([]);
    expect(rows).toHaveLength(count);
  });

  it("vectors arrive whole", async () => {
    const { values } = await readAll(`${DATA}emb_roam_qa_en`, { files: ["*.parquet"] });
    const row = values[0] as Record<string, ArrayLike<number>>;
    const vector = Object.values(row).find((value) => typeof value !== "string" && value.length === 1536);
    expect(vector).toBeDefined();
    const norm = Math.sqrt(Array.from(vector!).reduce((sum, x) => sum + x * x, 0));
    expect(norm).toBeCloseTo(1, 3);
  });
});
