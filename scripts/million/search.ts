import { readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { LakeClient } from "mirrorlake";
import { quantile, round, times } from "./measure.js";
import { LANGUAGES } from "./texts.js";

const QUESTIONS = "ir_xquad_multi/beir/queries.jsonl";
/** Questions that are timed, and those that exact search answers too. */
const TIMED = 200;
const COMPARED = 20;
const SIDE_BY_SIDE = 20;

/** Questions that people wrote (XQuAD), in the languages of the records, languages taking turns. */
function questions(data: string): string[] {
  const all = readFileSync(join(data, QUESTIONS), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { lang: string; text: string });
  const byLanguage = LANGUAGES.map((language) => all.filter(({ lang }) => lang === language));
  return Array.from(
    { length: TIMED },
    (_, i) => byLanguage[i % LANGUAGES.length]![Math.floor(i / LANGUAGES.length) * 5]!.text,
  );
}

/**
 * Times hybrid search of a lake (20 full records with vectors and provenance), the recall of what vectors find, and how long
 * others wait for the event loop while twenty searches run side by side.
 *
 * @param data folder of the real data
 */
export async function measureSearch(
  client: LakeClient,
  data: string,
): Promise<Readonly<Record<string, number>>> {
  const asked = questions(data);
  const search = async (query: string) => {
    const { data: found } = await client.search({ query, limit: 20, freshness: "90d" });
    if (found === null || found.length === 0) throw new Error(`nothing is found for ${query}`);
  };
  for (const query of asked.slice(0, 20)) await search(query);
  const hybrid = await times(asked.length, (i) => search(asked[i]!));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let next = 0;
  const lane = async () => {
    while (next < asked.length) await search(asked[next++]!);
  };
  delay.enable();
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  delay.disable();
  const memory = process.memoryUsage.rss() / 2 ** 20;
  const { index, corpus } = client.lake;
  const all = corpus.match({});
  const share = { 10: 0, 100: 0 };
  for (const query of asked.slice(0, COMPARED)) {
    const vector = (await index.embedQuery(query))!;
    const exact = await index.nearest(vector, all, { limit: 100, exact: true });
    const found = await index.nearest(vector, all, { limit: 300 });
    for (const k of [10, 100] as const) {
      const there = new Set(found.slice(0, k));
      share[k] += exact.slice(0, k).filter((row) => there.has(row)).length / k / COMPARED;
    }
  }
  return {
    "hybrid search p50 ms": round(quantile(hybrid, 0.5)),
    "hybrid search p99 ms": round(quantile(hybrid, 0.99)),
    "event loop delay p99 ms, 20 side by side": round(delay.percentile(99) / 1e6),
    "RSS MiB": Math.round(memory),
    "recall@10 of vectors": round(share[10]),
    "recall@100 of vectors": round(share[100]),
  };
}
