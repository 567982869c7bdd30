import type { EndpointValues } from "../contract/service/catalogue.js";
import { ALL_TIME, isLocalWindow, windowMs } from "../contract/service/shared-params.js";
import type { UnifiedRecord } from "../contract/service/unified-record.js";
import { AnswerRows } from "./answer-rows.js";
import { filterHint } from "./filter-hint.js";
import type { Handler } from "./handler.js";
import { headerText } from "./header-text.js";

/**
 * Searches all domains (service.md section 4.1): it filters, ranks the candidates and reads the top-k records. The
 * `freshness` window ends at as-of, both ends included (decisions.md, "Time").
 */
export const search: Handler<EndpointValues<"search">> = async (params, context) => {
  const { corpus, index, asOfMs, signal, trace } = context;
  const candidates = corpus.match({
    domains: params.domains,
    platforms: params.platforms,
    fromMs: params.freshness === ALL_TIME ? undefined : asOfMs - windowMs(params.freshness),
    toMs: asOfMs,
  });
  trace?.mark("recall");
  if (candidates.count === 0) return { data: [], empty: true, headers: filterHint(corpus, params) };
  const bare = params.format === "records";
  const rows = new AnswerRows(context, !bare && context.wants("vec"));
  const ranking = await index.rank(params.query, candidates, {
    limit: params.limit,
    signal,
    onLikely: rows.begin,
  });
  trace?.mark("rank");
  const data = (await rows.read(ranking.rows)).map(({ record, vector }): UnifiedRecord => {
    if (bare) {
      const { prov: _, ...rest } = record;
      return rest;
    }
    return vector === undefined ? record : { ...record, vec: vector };
  });
  const headers = {
    ...(ranking.embedder === undefined ? {} : { "X-Mirrorlake-Embedder": headerText(ranking.embedder) }),
    "X-Mirrorlake-Search-Mode": ranking.mode,
    ...filterHint(corpus, { platforms: params.platforms }),
    ...(isLocalWindow(params.freshness) ? { "X-Mirrorlake-Local": "freshness" } : {}),
    ...(ranking.note === undefined ? {} : { "X-Mirrorlake-Note": headerText(ranking.note) }),
  };
  return { data, empty: data.length === 0, headers, ranks: ranking.ranks };
};
