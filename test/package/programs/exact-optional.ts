import { createLake, openLake } from "mirrorlake";

/** Passes on options of its own that may be undefined. */
export async function ask(
  query: string,
  options: { limit?: number; signal?: AbortSignal; account?: "lake" | "memory"; platforms?: string[] } = {},
): Promise<number> {
  const { limit, signal, account, platforms } = options;
  const lake = await openLake("lake", { account, budgetUsd: undefined });
  const { data } = await lake.search({ query, limit, platforms }, { signal });
  await lake.export("records.jsonl", { format: "jsonl", platforms, signal });
  for await (const batch of lake.arrow({ platforms }, { signal })) console.log(batch.numRows);
  await lake.close();
  return data.length;
}

/** The same for making a lake. */
export async function make(signal?: AbortSignal): Promise<void> {
  await createLake("lake", [{ platform: "forum", lang: "en", text: "a" }], { signal });
}
