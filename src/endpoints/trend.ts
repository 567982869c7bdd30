import type { Trend } from "../contract/service/answer-shapes.js";
import { TrendOptions } from "../contract/service/operations.js";
import type { BucketUnit } from "../store/corpus.js";
import { type CommonParams, createdWindowOf, type GenericParams, named } from "./generic-params.js";
import type { Handler } from "./handler.js";
import { pageProvenance } from "./page-provenance.js";

interface TrendParams extends CommonParams {
  readonly unit?: BucketUnit;
}

/** Counts the raw items of a resource created in each unit of time; null if there are none. */
export const trend: Handler<GenericParams> = async (params, context) => {
  const { corpus, endpoint } = context;
  const options = TrendOptions.parse(endpoint.options);
  const { q, lang, unit = "day", ...rest } = params as TrendParams;
  const parent = named(params, options.parent);
  const buckets = await corpus.rawBuckets(
    {
      platform: endpoint.platform!,
      resource: options.resource,
      parent,
      text: q,
      lang,
      ...createdWindowOf(rest),
    },
    unit,
  );
  if (buckets.length === 0) return { data: null, empty: true };
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const data: Trend = { unit, total, buckets, prov: pageProvenance([], buckets, context) };
  return { data, empty: false };
};
