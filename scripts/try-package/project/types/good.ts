import { connect, openLake } from "mirrorlake";

/** Compiles in a project that checks every library. */
export async function typed(): Promise<void> {
  const remote = connect({ baseUrl: "https://api.example.com", apiKey: process.env.API_KEY, budgetUsd: "5" });
  await remote.close();
  const lake = await openLake(".mirrorlake/demo", { budgetUsd: "5", retry: { retries: 1 }, timeoutMs: 1000 });
  const { data } = await lake.search({ query: "boots", freshness: "30d" });
  for (const record of data) {
    const published: string | undefined = record.extra?.published_at;
    const url: string | undefined = record.extra?.url;
    if (record.src === "ecommerce") console.log(record.price?.current, published, url, record.vec.length);
  }
  const bare = await lake.search({ query: "a", format: "records" });
  const none: undefined = bare.data[0]?.vec;
  const rows: { n: bigint }[] = await lake.sql<{ n: bigint }>("SELECT count(*) AS n FROM records");
  console.log(none, rows);
  await lake.close();
}
