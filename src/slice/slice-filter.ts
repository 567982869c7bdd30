import type { SliceIndexEntry } from "../contract/slice/slice-index.js";
import { languageMatches } from "./language-range.js";

/** Which slices; an absent condition does not restrict. */
export interface SliceFilter {
  readonly domain?: string;
  readonly platform?: string;
  /** BCP 47 range: `zh` selects `zh-Hant` too. */
  readonly lang?: string;
  /** Bounds of capture in epoch milliseconds, both inclusive; a slice that overlaps them is selected. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Whether a slice is one that a filter selects: the one rule for the service, for `pull` and for the index. */
export function sliceMatches(
  { filter, captured }: Pick<SliceIndexEntry, "filter" | "captured">,
  query: SliceFilter,
): boolean {
  return (
    (query.domain === undefined || filter.domain === query.domain) &&
    (query.platform === undefined || filter.platform === query.platform) &&
    (query.lang === undefined || languageMatches(query.lang, filter.lang)) &&
    Date.parse(captured.last) >= (query.fromMs ?? Number.NEGATIVE_INFINITY) &&
    Date.parse(captured.first) <= (query.toMs ?? Number.POSITIVE_INFINITY)
  );
}
