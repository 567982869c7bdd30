import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deriveFixtures } from "../scripts/fixtures/derive.js";
import { generateFixtures, REAL_DATA } from "../scripts/fixtures/main.js";
import { STAR_VIDEO_ID } from "../scripts/fixtures/short-video.js";

const FIXTURES = fileURLToPath(new URL("../fixtures/demo", import.meta.url));
const MAX_BYTES = 6_000_000;

let temp: string;
beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), "mirrorlake-fixtures-"));
});
afterAll(() => rm(temp, { recursive: true, force: true }));

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

async function jsonl<T>(path: string): Promise<T[]> {
  const text = await readFile(join(FIXTURES, path), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

async function expectSameFiles(built: string): Promise<void> {
  const files = await filesOf(built);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const [fresh, kept] = await Promise.all([readFile(join(built, file)), readFile(join(FIXTURES, file))]);
    expect(fresh.equals(kept), `${file} differs from what npm run task fixtures writes`).toBe(true);
  }
}

describe("demo data", () => {
  test("the generated part is what its script writes: same seed, same bytes", { tags: "slow" }, async () => {
    const out = join(temp, "generated");
    await generateFixtures(out);
    await expectSameFiles(out);
  });

  test("another seed gives other bytes", { tags: "slow" }, async () => {
    const out = join(temp, "other");
    await generateFixtures(out, 7);
    const path = "social_short_video_native/videos_flat.jsonl";
    expect(await readFile(join(out, path), "utf8")).not.toBe(await readFile(join(FIXTURES, path), "utf8"));
  });

  test.skipIf(!existsSync(REAL_DATA))(
    "the derived part is cut from the real collections (skipped where ../shared/data is absent)",
    async () => {
      const out = join(temp, "derived");
      await deriveFixtures(REAL_DATA, out);
      await expectSameFiles(out);
    },
  );

  test("stays small", async () => {
    const sizes = await Promise.all(
      (await filesOf(FIXTURES)).map(async (file) => (await stat(join(FIXTURES, file))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });

  test("every real collection keeps its licence beside it", async () => {
    const files = await filesOf(FIXTURES);
    for (const folder of [
      "emb_azure_products_en",
      "emb_autodoc_solana_en",
      "ecom_marketplace_reviews_id",
      "ir_xquad_multi",
      "web_indonlu_id",
    ])
      expect(files).toContain(`${folder}/LICENSE`);
  });

  test("the demo's video has a tree deeper than two levels and more than two pages of comments", async () => {
    const comments = (
      await jsonl<{ aweme_id: string; reply_id: string; reply_to_reply_id: string }>(
        "social_short_video_native/comments_flat.jsonl",
      )
    ).filter((comment) => comment.aweme_id === STAR_VIDEO_ID);
    expect(comments.filter(({ reply_id }) => reply_id === "0").length).toBeGreaterThan(60);
    expect(comments.some(({ reply_to_reply_id }) => reply_to_reply_id !== "0")).toBe(true);
  });

  test("ids are unique", async () => {
    const videos = await jsonl<{ aweme_id: string }>("social_short_video_native/videos_flat.jsonl");
    const comments = await jsonl<{ cid: string }>("social_short_video_native/comments_flat.jsonl");
    expect(new Set(videos.map((video) => video.aweme_id)).size).toBe(videos.length);
    expect(new Set(comments.map((comment) => comment.cid)).size).toBe(comments.length);
  });
});
