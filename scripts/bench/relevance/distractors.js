import { DuckDBInstance } from "@duckdb/node-api";
import { built } from "../../built.js";

const { detectLanguage } =
  /** @type {typeof import("../../../src/ingest/values/language/detect-language.js")} */ (
    await built("ingest/values/language/detect-language.js")
  );

const DATA = new URL("../../../../shared/data/", import.meta.url).pathname;
const BATCH = 1000;
/** Captions of a video that make up one text: about a comment's length. */
const CAPTIONS = 4;

/** @param {string} path */
const at = (path) => `'${DATA}${path}'`;

/**
 * Real posts, comments, reviews, products, news and captions of ../shared/data: the language where the source says it, and a
 * query for the texts, which come in a fixed order.
 * @type {readonly (readonly [lang: string | undefined, query: string])[]}
 */
const SOURCES = [
  ["zh", `SELECT text FROM read_json(${at("social_weibo_zh/posts.jsonl")})`],
  ["zh", `SELECT text FROM read_json(${at("social_weibo_zh/comments.jsonl")})`],
  ["zh", `SELECT content FROM read_csv(${at("social_video_community_zh/labeled_comments.csv")})`],
  [undefined, `SELECT "desc" FROM read_json(${at("social_short_video_native/videos_flat.jsonl")})`],
  ["es", `SELECT DISTINCT producto FROM read_parquet(${at("ecom_price_history_es/*/*.parquet")})`],
  ["id", `SELECT "Customer Review" FROM read_csv(${at("ecom_marketplace_reviews_id/*.csv")})`],
  ["en", `SELECT sentence_normalized FROM read_json(${at("web_news_sentiment_en/train.jsonl")})`],
  ["id", `SELECT text FROM read_json(${at("web_indonlu_id/nerp_ner-prosa/*.jsonl")})`],
  [
    "id",
    `SELECT column0 FROM read_csv(${at("web_indonlu_id/smsa_doc-sentiment-prosa/*.tsv")}, header = false)`,
  ],
  ["id", `SELECT tweet FROM read_csv(${at("web_indonlu_id/emot_emotion-twitter/*.csv")})`],
  ["id", `SELECT review FROM read_csv(${at("web_indonlu_id/hoasa_absa-airy/*.csv")})`],
  ["id", `SELECT sentence FROM read_csv(${at("web_indonlu_id/casa_absa-prosa/*.csv")})`],
  ["en", `SELECT text FROM read_parquet(${at("emb_*/records.parquet")})`],
  [
    "en",
    `SELECT string_agg(caption.text, ' ' ORDER BY position)
     FROM (SELECT row_number() OVER () AS video, unnest(segments) AS caption, generate_subscripts(segments, 1) AS position
           FROM read_json(${at("social_long_video_transcripts_en/videos.jsonl")}))
     GROUP BY video, (position - 1) // ${CAPTIONS}`,
  ],
];

/**
 * Up to `limit` different texts, in batches.
 * @param {number} limit
 */
export async function* distractors(limit) {
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    /** @type {{ _id: string, lang: string, text: string }[]} */
    let batch = [];
    let count = 0;
    for (const [lang, query] of SOURCES) {
      const texts = `SELECT DISTINCT trim(text) AS text FROM (${query}) AS found(text) WHERE trim(text) <> '' ORDER BY text`;
      for (const [text] of (await connection.runAndReadAll(texts)).getRowsJS()) {
        if (count === limit) break;
        count += 1;
        batch.push({ _id: String(count), lang: lang ?? detectLanguage(String(text)), text: String(text) });
        if (batch.length < BATCH) continue;
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  } finally {
    connection.closeSync();
  }
}
