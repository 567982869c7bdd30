import type { Trend } from "../contract/service/answer-shapes.js";
import { TrendOptions } from "../contract/service/operations.js";
import type { BucketUnit } from "../store/corpus.js";
import { filtersOf, firstFound } from "./find-raw.js";
import { type CommonParams, createdWindowOf, type GenericParams, named } from "./generic-params.js";
import type { Handler } from "./handler.js";
import { pageProvenance } from "./page-provenance.js";

interface TrendParams extends CommonParams {
  readonly unit?: BucketUnit;
}

/** The earliest instant there is: as a bound it leaves out only items without an instant of creation. */
const EARLIEST_MS = -8_640_000_000_000_000;

/** Counts the raw items of a resource created in each unit of time; null if there are none. */
export const trend: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint } = context;
  const options = TrendOptions.parse(endpoint.options);
  const { q, lang, unit = "day", ...rest } = params as TrendParams;
  const parent = named(params, options.parent);
  const { createdFromMs = EARLIEST_MS, createdToMs } = createdWindowOf(rest);
  const filter = {
    platform: endpoint.platform!,
    resource: options.resource,
    parent,
    text: q,
    lang,
    createdFromMs,
    createdToMs,
  };
  const [buckets, newest] = await firstFound(
    filtersOf(filter),
    (asked) =>
      Promise.all([
        corpus.rawBuckets(asked, unit),
        corpus.rawPage({ ...asked, orderBy: "captured", descending: true, offset: 0, limit: 1 }),
      ]),
    ([counted]) => counted.length > 0,
  );
  if (buckets.length === 0) return { data: null, empty: true };
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  // Of the item only its capture: a trend is not of one item's source.
  const origins = newest.items.map(({ captured_at }) => ({ captured_at, data: {} }));
  const data: Trend = { unit, total, buckets, prov: pageProvenance(origins, buckets, context) };
  return { data, empty: false };
};
