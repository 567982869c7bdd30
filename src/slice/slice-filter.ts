import type { SliceIndexEntry } from "../contract/slice/slice-index.js";
import { languageMatches } from "./language-range.js";

/** Filter of slices; an absent condition does not restrict. */
export interface SliceFilter {
  readonly domain?: string;
  readonly platform?: string;
  /** BCP 47 range: `zh` also selects `zh-Hant`. */
  readonly lang?: string;
  /** Capture bounds in epoch milliseconds, inclusive; a slice that overlaps them is selected. */
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Whether a filter selects a slice: the one rule for the service, `pull` and the index. */
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
