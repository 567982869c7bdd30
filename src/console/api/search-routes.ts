import { performance } from "node:perf_hooks";
import { z } from "zod";
import { formatUsd } from "../../contract/money.js";
import { Domain } from "../../contract/service/platforms.js";
import { text } from "../../contract/service/shared-params.js";
import type { StoredRecord } from "../../contract/service/unified-record.js";
import { nextTurn } from "../../next-turn.js";
import type { Corpus } from "../../store/corpus.js";
import type { CountAnswer, FacetsAnswer, HitAnswer, SearchAnswer } from "../answers.js";
import { ConsoleError } from "../console-error.js";
import { route } from "../route.js";
import { FILTER_PARAMS, type Filters, numberParam, recordFilter } from "../shared-params.js";
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
        const languages = new Set(
          corpus
            .slices({ offset: 0, limit: Number.POSITIVE_INFINITY })
            .manifests.map(({ mirrorlake }) => mirrorlake.filter.lang),
        );
        const count = (values: Iterable<string>, name: "domains" | "platforms" | "langs") =>
          counts(corpus, filters, asOfMs, values, name);
        return {
          domains: await count(Domain.options, "domains"),
          platforms: await count(
            corpus.platforms().map(({ slug }) => slug),
            "platforms",
          ),
          langs: await count(languages, "langs"),
        };
      }),
    );
  },
});

async function counts(
  corpus: Corpus,
  filters: Filters,
  asOfMs: number,
  values: Iterable<string>,
  name: "domains" | "platforms" | "langs",
): Promise<CountAnswer[]> {
  const found: CountAnswer[] = [];
  for (const value of values) {
    const { count } = corpus.match(recordFilter({ ...filters, [name]: [value] }, asOfMs));
    if (count > 0) found.push({ value, count });
    await nextTurn();
  }
  return found.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
