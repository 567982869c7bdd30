import * as mirrorlake from "../../../src/index.js";
import type { Findings, Place } from "./findings.js";

/** A program over either client: `over-network.ts` differs in one line. */
export async function program(place: Place): Promise<Findings> {
  const options = { apiKey: place.apiKey, budgetUsd: "0.010000", timeoutMs: 60_000, retry: { retries: 1 } };
  const client = mirrorlake.connect({ baseUrl: place.url, ...options });
  try {
    const found = await client.search({ query: place.query, limit: 3, freshness: "90d", format: "records" });
    const video = await client.raw("short-video", "video", { item_id: place.itemId });
    const comments: string[] = [];
    for await (const { text } of client.items("raw.short-video.comments", {
      item_id: place.itemId,
      count: 50,
    }))
      comments.push(text);
    const { data } = await client.slices({ limit: 1 });
    const codes: string[] = [];
    const failing = [
      () => client.search({ query: "" }),
      () => client.call("raw.forum.post", { post_id: "nothing-here" }),
      async () => {
        for (;;) await client.raw("short-video", "comments", { item_id: place.itemId });
      },
    ];
    for (const call of failing)
      await call().then(
        (answer) => codes.push(String(answer.data)),
        (error: { code: string }) => codes.push(error.code),
      );
    await Promise.all([client.close(), client.close()]);
    await client.slices().catch((error: { code: string }) => codes.push(error.code));
    const ids = found.data.map(({ id }) => id);
    return {
      ids,
      source: video.data?.extra.source_id,
      comments,
      slices: data.total,
      codes,
      spent: client.spentUsd,
    };
  } finally {
    await client[Symbol.asyncDispose]();
  }
}
