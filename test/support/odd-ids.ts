import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAdapter } from "../../src/ingest/adapters/load-adapter.js";
import { ingest } from "../../src/ingest/ingest.js";

/** Own ids that are no plain words: of articles, and after `c:` of comments on `thread`. */
export const ODD_IDS = {
  percent: "https://example.com/a%20b",
  long: `https://example.com/${"long-title/".repeat(14)}end`,
  space: "two words",
  tab: "a\tb",
  short: "https://example.com/short",
} as const;

/** The post that the comments belong to, by its own id. */
export const ODD_POST = "https://forum.example/%E2%9C%93?p=1";

const MAPPING = {
  mapping: 1,
  name: "odd-ids",
  info: { title: "Odd ids", licence: "CC0-1.0" },
  sources: [
    { name: "articles", files: ["articles.jsonl"] },
    { name: "comments", files: ["comments.jsonl"] },
  ],
  defaults: { lang: { value: "en" } },
  rules: [
    {
      from: "articles",
      record: { platform: "global-news", id: "url", fields: { title: "title", "extra.url": "url" } },
      raw: [{ platform: "global-news", resource: "article", id: "url", base: "record" }],
    },
    {
      from: "comments",
      raw: [
        {
          platform: "forum",
          resource: "comment",
          id: "cid",
          parent: "post",
          reply_to: "reply_to",
          author: "author",
          data: {
            cid: "cid",
            text: "text",
            likes: { value: 1 },
            ip_location: { value: "here" },
            reply_count: { value: 0 },
            created_at: { value: "2026-05-20T00:00:00Z" },
            is_hot: { value: false },
            images: { value: [] },
            "author.uid_hash": { value: "h" },
            "author.nickname": { value: "n" },
            "author.uid": "author",
            "author.sec_uid": { value: "s" },
            "author.unique_id": { value: null },
          },
        },
      ],
    },
  ],
};

/** Ingests an article, a comment and a reply for each of {@link ODD_IDS}; returns the folder of the slices. */
export async function oddSlices(dir: string): Promise<string> {
  const [input, out] = [join(dir, "odd-input"), join(dir, "odd-slices")];
  await mkdir(input, { recursive: true });
  const ids = Object.values(ODD_IDS);
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  await writeFile(
    join(input, "articles.jsonl"),
    lines(ids.map((url, n) => ({ url, title: `Article ${n}` }))),
  );
  const comments = ids.flatMap((id, n) => [
    { cid: `c:${id}`, post: ODD_POST, text: `Comment ${n}`, author: `u ${n}` },
    { cid: `r:${id}`, post: ODD_POST, reply_to: `c:${id}`, text: `Reply ${n}`, author: `u ${n}` },
  ]);
  await writeFile(join(input, "comments.jsonl"), lines(comments));
  await writeFile(join(dir, "odd-mapping.json"), JSON.stringify(MAPPING));
  const report = await ingest([input], {
    adapter: await loadAdapter(join(dir, "odd-mapping.json")),
    capturedAt: "2026-05-29T12:00:00Z",
    out,
    authorSalt: "odd",
  });
  if (report.rejected > 0) throw new RangeError(await readFile(join(out, "rejects.jsonl"), "utf8"));
  return out;
}
