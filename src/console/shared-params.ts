import { z } from "zod";
import { Domain } from "../contract/service/platforms.js";
import { ALL_TIME, windowMs } from "../contract/service/shared-params.js";
import type { RecordFilter } from "../store/corpus.js";

/** A list in an address: `a,b`. */
const listOf = <Item extends z.ZodType<string, string>>(item: Item) =>
  z
    .string()
    .transform((text) => (text === "" ? [] : text.split(",")))
    .pipe(z.array(item).max(100))
    .optional();

/** A whole number in an address. */
export const numberParam = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

/** The filters of records in an address. */
export const FILTER_PARAMS = {
  domains: listOf(Domain),
  platforms: listOf(z.string().max(100)),
  langs: listOf(z.string().max(40)),
  freshness: z
    .string()
    .regex(/^([1-9][0-9]{0,4}[hd]|all)$/, "must be like 24h or 90d, or all")
    .optional(),
};

/** Filters as read from an address. */
export type Filters = z.output<z.ZodObject<typeof FILTER_PARAMS>>;

/**
 * The records that the filters leave: as a search has them, with languages besides. An empty list does not restrict. A window ends at as-of.
 */
export function recordFilter(
  { domains, platforms, langs, freshness }: Filters,
  asOfMs: number,
): RecordFilter {
  const some = <T>(list: readonly T[] | undefined) =>
    list === undefined || list.length === 0 ? undefined : list;
  const all = freshness === undefined || freshness === ALL_TIME;
  return {
    domains: some(domains),
    platforms: some(platforms),
    langs: some(langs),
    fromMs: all ? undefined : asOfMs - windowMs(freshness),
    toMs: all ? undefined : asOfMs,
  };
}
