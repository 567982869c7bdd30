import type { RankMode } from "../../src/search/search-index.js";
import type { Corpus, RecordFilter } from "../../src/store/corpus.js";
import { random } from "../lake/items.js";
import { CAMPAIGN, SEED } from "../support/campaign.js";

/** A query and what it is asked of. */
export interface DemoQuery {
  readonly query: string;
  readonly filter: RecordFilter;
  readonly mode: RankMode;
  readonly limit: number;
}

const QUERIES = 1000;

/**
 * Queries made of the records' own words: whole titles, some of their words, quoted phrases, unknown words, questions, every mode and filter.
 * @param share of a thousand, drawn by the seed; a campaign has all of them
 */
export async function demoQueries(corpus: Corpus, share: number): Promise<DemoQuery[]> {
  const all = await queriesOf(corpus, QUERIES);
  if (CAMPAIGN) return all;
  const draw = random(SEED);
  return Array.from({ length: share }, () => all[Math.floor(draw() * all.length)]!);
}

async function queriesOf(corpus: Corpus, count: number): Promise<DemoQuery[]> {
  const draw = random(21);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(draw() * values.length)]!;
  const records = await corpus.records(
    Array.from({ length: count }, () => Math.floor(draw() * corpus.rowCount)),
  );
  const platforms = [...new Set(records.map(({ platform }) => platform))];
  return records.map((record) => {
    const words = `${record.title ?? ""} ${record.text ?? ""}`.split(/\s+/).filter((word) => word !== "");
    const first = Math.floor(draw() * Math.max(1, words.length - 4));
    const some = words.slice(first, first + 1 + Math.floor(draw() * 6)).join(" ");
    const query = pick([
      some,
      some,
      words.slice(0, 20).join(" "),
      `"${words.slice(first, first + 2).join(" ")}"`,
      `${words[0] ?? ""} ${words.at(-1) ?? ""} zzyzx`,
      (words[first] ?? "x").slice(0, 4),
      `${pick(["what is", "apa itu", "qué es", "什么是"])} ${some}`,
    ]).slice(0, 300);
    const ms = Date.parse(record.prov.ts);
    const filter = pick<RecordFilter>([
      {},
      {},
      { platforms: [record.platform] },
      { platforms: [pick(platforms), pick(platforms)] },
      { domains: [record.src] },
      { langs: [record.lang.split("-")[0]!] },
      { fromMs: ms - 864e5, toMs: ms + 864e5 },
      { toMs: ms, domains: [record.src] },
    ]);
    return {
      query: query === "" ? "a" : query,
      filter,
      mode: pick(["hybrid", "keyword", "semantic"] as const),
      limit: pick([1, 10, 20, 100, 1000]),
    };
  });
}
