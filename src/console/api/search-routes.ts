import { performance } from "node:perf_hooks";
import { z } from "zod";
import { formatUsd } from "../../contract/money.js";
import { text } from "../../contract/service/shared-params.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { nextTurn } from "../../next-turn.js";
import { languageMatches } from "../../slice/language-range.js";
import type { Corpus } from "../../store/corpus.js";
import type { RecordTally } from "../../store/record-tally.js";
import type { CountAnswer, FacetsAnswer, HitAnswer, SearchAnswer } from "../answers.js";
import { ConsoleError } from "../console-error.js";
import { route } from "../route.js";
import { FILTER_PARAMS, numberParam, recordFilter } from "../shared-params.js";
import { shorten } from "../shorten.js";

/**
 * Searches as the service does (service.md section 4.1), with languages besides, which it does not take, and windows over 90 days. Without a query: the newest.
 */
export const searchRoute = route({
  method: "GET",
  path: "search",
  params: z.strictObject({
    ...FILTER_PARAMS,
    query: text(0, 500).default(""),
    limit: numberParam(1, 100).default(20),
  }),
  answer: async ({ query, limit, ...filters }, { lake, asOf, signal }): Promise<SearchAnswer> => {
    const started = performance.now();
    const price = lake.service.catalogue.find(({ id }) => id === "search")?.price ?? 0n;
    return lake.lake.use(async ({ corpus, index }) => {
      const filter = recordFilter(filters, asOf.ms());
      const candidates = corpus.match(filter);
      const facts = { candidates: candidates.count, price_usd: formatUsd(price) };
      const ms = () => Math.round(performance.now() - started);
      if (query.trim() === "") {
        const page = { ...filter, orderBy: "captured", descending: true, offset: 0, limit } as const;
        const { rows } = await corpus.recordsPage(page);
        const hits = (await corpus.records(rows)).map((record) => hitOf(record));
        return { ...facts, hits, ms: ms(), mode: "newest" };
      }
      if (candidates.count === 0) return { ...facts, hits: [], ms: ms(), mode: "none" };
      const ranking = await index.rank(query, candidates, { limit, signal });
      const records = await corpus.records(ranking.rows);
      const hits = records.map((record, i) => ({
        ...hitOf(record),
        ranks: ranking.ranks[i],
        score: ranking.scores[i],
      }));
      const { mode, embedder, note } = ranking;
      return { ...facts, hits, ms: ms(), mode, embedder, note };
    });
  },
});

function hitOf(record: StoredRecord): HitAnswer {
  const { value, whole } = shorten(record);
  return { record: value, whole };
}

/** One record with all of its text. */
export const recordRoute = route({
  method: "GET",
  path: "record",
  params: z.strictObject({ id: z.string().min(1).max(200) }),
  answer: async ({ id }, { lake }): Promise<HitAnswer> =>
    lake.lake.use(async ({ corpus }) => {
      const row = await corpus.recordRow(id);
      const [record] = row === undefined ? [] : await corpus.records([row]);
      if (record === undefined)
        throw new ConsoleError(
          404,
          "not_found",
          "The lake has no record of this id",
          "It may have been removed.",
        );
      return { record, whole: true };
    }),
});

/** Counts for the filters: what each value would leave. */
export const facetsRoute = route({
  method: "GET",
  path: "facets",
  params: z.strictObject(FILTER_PARAMS),
  answer: async (filters, { lake, facts, asOf }): Promise<FacetsAnswer> => {
    const asOfMs = asOf.ms();
    // Of a clock that goes on, counts are kept for a minute.
    const minute = filters.freshness === undefined ? 0 : Math.floor(asOfMs / 60_000);
    return facts.get(`facets ${minute} ${JSON.stringify(filters)}`, () =>
      lake.lake.use(async ({ corpus }) => {
        // What each value would leave is counted without the filter of its own kind.
        const tallyWithout = async (name: "domains" | "platforms" | "langs"): Promise<RecordTally> => {
          await nextTurn();
          return corpus.tallyOf(corpus.match(recordFilter({ ...filters, [name]: undefined }, asOfMs)));
        };
        const { langs } = await tallyWithout("langs");
        return {
          domains: counts((await tallyWithout("domains")).domains),
          platforms: counts((await tallyWithout("platforms")).platforms),
          langs: counts(languageRanges(corpus).map((range) => [range, countIn(range, langs)] as const)),
        };
      }),
    );
  },
});

/** The languages of the slices: a record of one may say it more narrowly. */
function languageRanges(corpus: Corpus): readonly string[] {
  const { manifests } = corpus.slices({ offset: 0, limit: Number.POSITIVE_INFINITY });
  return [...new Set(manifests.map(({ mirrorlake }) => mirrorlake.filter.lang))];
}

function countIn(range: string, langs: RecordTally["langs"]): number {
  const within = [...langs].filter(([tag]) => languageMatches(range, tag));
  return within.reduce((sum, [, count]) => sum + count, 0);
}

/** The values that leave something, those that leave most first. */
function counts(found: Iterable<readonly [value: string, count: number]>): CountAnswer[] {
  return [...found]
    .map(([value, count]) => ({ value, count }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
