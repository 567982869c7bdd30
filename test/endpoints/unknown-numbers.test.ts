import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CommentsPage } from "../../src/contract/service/raw.js";
import { createLake, type LakeClient, openLake } from "../../src/index.js";
import { compileMapping } from "../../src/ingest/mapping/compile.js";
import { previewIngest } from "../../src/ingest/preview-ingest.js";
import { EMBEDDER, QUICK } from "../evolution/support.js";

const VIDEO = "7400000000000000001";
const author = { uid_hash: "a", nickname: "", uid: "", sec_uid: "", unique_id: null };
const rest = { ip_location: "", created_at: "2026-01-01T00:00:00Z", is_hot: false, images: [], author };
const item = (cid: string, data: object) => ({
  ...{ platform: "short-video", resource: "comment", id: cid, parent: VIDEO, lang: "en", score: 0 },
  data: { cid, text: cid, ...rest, ...data },
});

let dir: string;
let lake: LakeClient;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "mirrorlake-unknown-"));
  const rows = [item("1", { likes: 0, reply_count: 2 }), item("2", { reply_count: 1 })];
  await createLake(join(dir, "lake"), rows as never, QUICK);
  lake = await openLake(join(dir, "lake"), { embedder: EMBEDDER, account: "memory" });
});
afterAll(async () => {
  await lake.close();
  await rm(dir, { recursive: true, force: true });
});

it("a number that the source has not is 0 in answers, named in a header, and NULL in SQL", async () => {
  const { data, headers } = await lake.raw("short-video", "comments", { item_id: VIDEO });
  expect(CommentsPage.safeParse(data).success).toBe(true);
  expect(data.items.map(({ cid, likes }) => [cid, likes])).toEqual([
    ["1", 0],
    ["2", 0],
  ]);
  expect(Object.keys(data.items[1]!)).toEqual(Object.keys(CommentsPage.shape.items.element.shape));
  expect(headers["x-mirrorlake-unknown"]).toBe("likes");
  expect(await lake.sql("SELECT cid, likes FROM comments ORDER BY cid")).toEqual([
    { cid: "1", likes: 0 },
    { cid: "2", likes: null },
  ]);
});

it("a mapping may leave them out", async () => {
  const { text: _, ...data } = { ...rest, text: "" };
  const mapping = {
    mapping: 1,
    name: "m",
    info: { title: "M", licence: "CC0-1.0" },
    sources: [{ name: "rows", files: ["*"] }],
    defaults: { platform: "forum", lang: { value: "en" } },
    rules: [
      {
        from: "rows",
        raw: [
          {
            resource: "comment",
            id: "id",
            data: {
              cid: "id",
              text: "t",
              ...Object.fromEntries(
                Object.entries(data).map(([name, value]) => [name, { value, keep_empty: true }]),
              ),
            },
          },
        ],
      },
    ],
  };
  const path = join(dir, "rows.jsonl");
  await (await import("node:fs/promises")).writeFile(path, '{"id":"1","t":"hello"}\n');
  const found = await previewIngest([path], {
    ...{ adapter: compileMapping(mapping), rows: 5, authorSalt: "s", capturedAt: "2026-01-01T00:00:00Z" },
  });
  expect(found.rejects.map(({ field, reason }) => `${field} ${reason}`)).toEqual([]);
  expect(found.items).toHaveLength(1);
});
