import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { MONTHS, PLATFORMS } from "./mapping.js";
import { seeded } from "./random.js";
import { LANGUAGES, Texts } from "./texts.js";

const PART_ROWS = 50_000;
/** Numbers of a vector that are not padding. */
const EFFECTIVE = 256;
const DIMENSIONS = 1536;
const TOPICS = 2000;
/** Of the videos, one in so many has comments: fifty of them in the mean. */
const COMMENTED = 50;

/** Number of a short video as its platform's id. */
export function videoId(n: number): string {
  return String(7_000_000_000_000_000_000n + BigInt(n));
}

/** Numbers of the videos among so many records, and of those that have comments. */
export function videos(records: number): { all: number[]; commented: number[] } {
  const all: number[] = [];
  for (let n = 0; n < records; n++) if (platformOf(n) === "short-video") all.push(n);
  return { all, commented: all.filter((_, i) => i % COMMENTED === 0) };
}

function platformOf(n: number): (typeof PLATFORMS)[number] {
  return PLATFORMS[n % PLATFORMS.length]!;
}

/**
 * Writes `posts-*.parquet` (a row a record, with a vector of 256 numbers around one of 2,000 topics, padded with zeros and of
 * unit length) and `comments.jsonl` (a quarter as many). The same number gives the same rows.
 */
export async function generate(records: number, data: string, out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  const random = seeded(records);
  const texts = new Texts(data, random);
  const instance = await DuckDBInstance.create(":memory:", { threads: "2", memory_limit: "1500MB" });
  const db = await instance.connect();
  await db.run(`CREATE MACRO noise(seed, i) AS (hash(seed * 4096 + i) % 65536) / 32768.0 - 1.0`);
  for (let first = 0, part = 0; first < records; first += PART_ROWS, part++) {
    await db.run(`CREATE OR REPLACE TABLE posts (n BIGINT, id VARCHAR, platform VARCHAR, lang VARCHAR, captured_at VARCHAR,
      text VARCHAR, uid VARCHAR, followers BIGINT, likes BIGINT, comments BIGINT, plays BIGINT, price BIGINT, rating DOUBLE,
      score DOUBLE, label VARCHAR)`);
    const appender = await db.createAppender("posts");
    for (let n = first; n < Math.min(records, first + PART_ROWS); n++) {
      const lang = LANGUAGES[random(LANGUAGES.length)]!;
      const score = (random(2001) - 1000) / 100;
      appender.appendBigInt(BigInt(n));
      for (const text of [
        videoId(n),
        platformOf(n),
        lang,
        instant(random),
        texts.make(lang),
        `u${random(200_000)}`,
      ])
        appender.appendVarchar(text);
      for (const below of [1e6, 1e5, 1e4, 1e7, 1e6]) appender.appendBigInt(BigInt(random(below)));
      appender.appendDouble(random(51) / 10);
      appender.appendDouble(score);
      appender.appendVarchar(score < 0 ? "negative" : "positive");
      appender.endRow();
    }
    appender.flushSync();
    appender.closeSync();
    const path = join(out, `posts-${String(part).padStart(4, "0")}.parquet`).replaceAll("'", "''");
    await db.run(`COPY (
      WITH raw AS (
        SELECT *, list_transform(range(${EFFECTIVE}), i -> noise(hash(n) % ${TOPICS}, i) + 0.7 * noise(${TOPICS} + n, i)) AS v
        FROM posts),
      lengths AS (SELECT *, sqrt(list_sum(list_transform(v, x -> x * x))) AS length FROM raw)
      SELECT * EXCLUDE (n, v, length), list_resize(list_transform(v, x -> (x / length)::FLOAT), ${DIMENSIONS}, 0::FLOAT) AS vector
      FROM lengths ORDER BY n) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10240)`);
  }
  db.closeSync();
  instance.closeSync();
  await writeComments(records, texts, random, join(out, "comments.jsonl"));
}

async function writeComments(
  records: number,
  texts: Texts,
  random: (below: number) => number,
  path: string,
): Promise<void> {
  const { all, commented } = videos(records);
  const file = createWriteStream(path);
  for (let n = 0; n < all.length; n++) {
    const lang = LANGUAGES[random(LANGUAGES.length)]!;
    const comment = {
      cid: String(9_000_000_000_000_000 + n),
      video: videoId(commented[random(commented.length)]!),
      lang,
      captured_at: instant(random),
      created_at: instant(random),
      text: texts.make(lang),
      likes: random(10_000),
      uid: `u${random(200_000)}`,
      nickname: `user ${random(200_000)}`,
    };
    if (!file.write(`${JSON.stringify(comment)}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}

function instant(random: (below: number) => number): string {
  const two = (below: number, from = 0) => String(from + random(below)).padStart(2, "0");
  return `${MONTHS[random(MONTHS.length)]}-${two(28, 1)}T${two(24)}:${two(60)}:${two(60)}Z`;
}
