import { LESS_IS_BETTER, RankingOptions, RecordSort } from "../contract/service/operations.js";
import { windowMs } from "../contract/service/shared-params.js";
import type { StoredRecord } from "../contract/service/unified-record.js";
import { type CommonParams, type GenericParams, pageOfParams } from "./generic-params.js";
import type { Handler, HandlerResult } from "./handler.js";
import { pageResult } from "./page.js";
import { recordAnswer } from "./record-answer.js";
import { originOf } from "./records.js";

interface RankingParams extends CommonParams {
  readonly by?: string;
  readonly freshness?: string;
}

/**
 * Ranks a platform's data captured within `freshness` before as-of: raw items by score, or unified records by the number
 * that `by` names. Records without the number are not ranked.
 */
export const ranking: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint, asOfMs } = context;
  const { resource } = RankingOptions.parse(endpoint.options);
  const { by, freshness, lang, ...rest } = params as RankingParams;
  const platform = endpoint.platform!;
  const { offset, limit } = pageOfParams(rest);
  const fromMs = freshness === undefined ? undefined : asOfMs - windowMs(freshness);

  const entries = (items: readonly { value: number; item: unknown }[]) =>
    items.map(({ value, item }, i) => ({ rank: offset + i + 1, value, item }));

  const ofItems = async (): Promise<HandlerResult> => {
    const toMs = freshness === undefined ? undefined : await context.rawAsOfMs();
    const { items, total } = await corpus.rawPage({
      platform,
      resource: resource!,
      lang,
      capturedFromMs: toMs === undefined ? undefined : toMs - windowMs(freshness!),
      capturedToMs: toMs,
      orderBy: "score",
      descending: true,
      offset,
      limit,
    });
    const ranked = entries(items.map(({ score, data }) => ({ value: score, item: data })));
    return pageResult({ items: ranked, origins: items, offset, total }, context);
  };

  const ofRecords = async (): Promise<HandlerResult> => {
    const orderBy = RecordSort.parse(by);
    const { records: page, total } = await corpus.listRecords({
      platforms: [platform],
      langs: lang === undefined ? undefined : [lang],
      fromMs,
      toMs: fromMs === undefined ? undefined : asOfMs,
      orderBy,
      descending: !LESS_IS_BETTER.has(orderBy),
      withValue: true,
      offset,
      limit,
    });
    const numbered = page.flatMap((record) => {
      const value = numberOf(record, orderBy);
      return value === undefined ? [] : [{ record, value }];
    });
    const items = entries(
      numbered.map(({ record, value }) => ({ value, item: recordAnswer(record, endpoint) })),
    );
    return pageResult(
      {
        items,
        origins: numbered.map(({ record }) => originOf(record)),
        offset,
        total,
      },
      context,
    );
  };

  return resource === undefined ? ofRecords() : ofItems();
};

/** Returns the number that a record is ordered by. */
function numberOf(record: StoredRecord, by: RecordSort): number | undefined {
  switch (by) {
    case "captured":
      return Date.parse(record.prov.ts);
    case "id":
      return undefined;
    case "price":
      return record.price?.current;
    case "drop_7d":
      return record.price?.drop_7d;
    case "sentiment":
      return record.sentiment?.score;
    case "followers":
      return record.author?.followers;
    default:
      return record.metrics?.[by];
  }
}
