import { UsageError } from "../../contract/errors.js";
import { firstFault } from "../../contract/rule-text.js";
import { Domain, PlatformSlug } from "../../contract/service/platforms.js";
import { DayOrInstant, isOrdered, windowOf } from "../../contract/service/shared-params.js";
import { LanguageTag } from "../../contract/service/unified-record.js";
import type { SliceFilter } from "../../slice/slice-filter.js";

/** Filter of the slices to pull; an absent condition does not restrict. */
export interface PullFilter {
  readonly domain?: string;
  readonly platform?: string;
  /** BCP 47 range: `zh` means `zh-Hant` too. */
  readonly lang?: string;
  /** Window of capture, both ends inclusive: ISO 8601 days (UTC) or instants. */
  readonly from?: string;
  readonly to?: string;
}

const CHECKS = {
  domain: Domain,
  platform: PlatformSlug,
  lang: LanguageTag,
  from: DayOrInstant,
  to: DayOrInstant,
};

/**
 * A filter as slices are compared with it.
 * @throws UsageError `invalid_filter`
 */
export function toSliceFilter(filter: PullFilter): SliceFilter {
  for (const [name, schema] of Object.entries(CHECKS)) {
    const value = filter[name as keyof PullFilter];
    const parsed = value === undefined ? undefined : schema.safeParse(value);
    if (parsed?.success === false) throw badFilter(name, value, firstFault(parsed.error).words);
  }
  if (!isOrdered(filter)) throw badFilter("to", filter.to, "must not be before from");
  const { domain, platform, lang, from, to } = filter;
  return {
    domain,
    platform,
    lang,
    ...windowOf({ from, to }),
  };
}

function badFilter(name: string, value: unknown, reason: string): UsageError {
  return new UsageError("invalid_filter", `${name}: ${reason}`, { value, remedy: `correct ${name}` });
}
