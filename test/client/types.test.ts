import { expectTypeOf, test } from "vitest";
import type { Client } from "../../src/client/client.js";
import type { LakeClient } from "../../src/client/open-lake.js";
import type { CommentsPage, RawVideo } from "../../src/contract/service/raw.js";
import type { UnifiedRecord } from "../../src/contract/service/unified-record.js";

declare const client: Client;
declare const lake: LakeClient;

/** Never run: the type-checker reads it. */
async function typed(): Promise<void> {
  const search = await client.search({ query: "a", domains: ["social"], freshness: "7d" });
  expectTypeOf(search.data).toExtend<readonly UnifiedRecord[]>();
  expectTypeOf(search.meta.charged_usd).toEqualTypeOf<string>();
  expectTypeOf(search.headers).toEqualTypeOf<Readonly<Record<string, string>>>();

  const video = await client.raw("short-video", "video", { item_id: "7301234567890123456" });
  expectTypeOf(video.data).toExtend<RawVideo | null>();
  expectTypeOf(video.data?.extra.source_id).toEqualTypeOf<string | undefined>();
  const page = await client.call("raw.short-video.comments", { item_id: "7301234567890123456", count: 5 });
  expectTypeOf(page.data).toExtend<CommentsPage>();
  for await (const comment of client.items("raw.short-video.comments", { item_id: "7301234567890123456" }))
    expectTypeOf(comment.cid).toEqualTypeOf<string>();

  for (const record of search.data) {
    expectTypeOf(record.vec).toEqualTypeOf<Float32Array>();
    expectTypeOf(record.prov.ts).toEqualTypeOf<string>();
    expectTypeOf(record.extra?.url).toEqualTypeOf<string | undefined>();
    expectTypeOf(record.extra?.published_at).toEqualTypeOf<string | undefined>();
    if (record.src === "ecommerce") expectTypeOf(record.price?.current).toEqualTypeOf<number | undefined>();
    else expectTypeOf(record.price).toEqualTypeOf<undefined>();
    if (record.src === "social") expectTypeOf(record.metrics?.likes).toEqualTypeOf<number | undefined>();
  }
  const bare = await client.search({ query: "a", format: "records", platforms: ["forum", "my-platform"] });
  expectTypeOf(bare.data[0]?.vec).toEqualTypeOf<undefined>();
  const rows = await lake.sql<{ platform: string; n: bigint }>(
    "select platform, count(*) n from records group by 1",
  );
  expectTypeOf(rows).toEqualTypeOf<{ platform: string; n: bigint }[]>();

  // @ts-expect-error the catalogue has no such platform
  await client.raw("my-platform", "thing", {});
  // @ts-expect-error the platform has no such resource
  await client.raw("forum", "video", {});
  // @ts-expect-error a search has no such parameter
  await client.search({ query: "a", freshnes: "7d" });
  const other = await client.call("raw.my-platform.thing", { anything: 1 });
  expectTypeOf(other.data).toBeUnknown();

  // @ts-expect-error a query is required
  await client.search({});
  // @ts-expect-error domains are the three
  await client.search({ query: "a", domains: ["news"] });
  // @ts-expect-error an item id is required
  await client.raw("short-video", "video", {});
  // @ts-expect-error a count is a number
  await client.call("raw.short-video.comments", { item_id: "7301234567890123456", count: "5" });
  // @ts-expect-error a video is no list
  client.items("raw.short-video.video", { item_id: "7301234567890123456" });
  // @ts-expect-error a search has one page
  client.items("search", { query: "a" });
  // @ts-expect-error a list without a cursor has one page
  client.pages("account.usage", {});
  expectTypeOf(client.items("datasets.slices", {})).not.toEqualTypeOf<AsyncIterable<never>>();
  const any: string = "raw.my-platform.things";
  expectTypeOf(client.items(any, {})).toEqualTypeOf<AsyncIterable<unknown>>();
  client.pages(`raw.${any}.comments`, {});
  for (const id of ["raw.forum.post", "raw.forum.comments"] as const) client.pages(id, { post_id: "p" });
}

test("parameters and data are typed by the catalogue", () => {
  expectTypeOf(typed).toBeFunction();
});
