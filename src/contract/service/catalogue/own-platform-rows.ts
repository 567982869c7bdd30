import type { EndpointSpec } from "../endpoint.js";
import type { Domain, Platform } from "../platforms.js";
import { discussion, marketplace, platformRows } from "./platform-rows.js";
import { ARTICLE, PRODUCT } from "./thing.js";

/** The rows that every platform of a domain has. */
const ROWS_OF: Readonly<Record<Domain, (platform: string) => readonly EndpointSpec[]>> = {
  ecommerce: (platform) => [
    ...marketplace({ platform, sorts: ["captured", "drop_7d", "price", "rating", "sold", "reviews"] }),
    platformRows(platform, platform).ranking(PRODUCT, ["drop_7d", "price", "sold", "reviews", "rating"]),
  ],
  social: (platform) => discussion({ platform, sorts: ["captured", "likes", "comments", "views"] }),
  web: (platform) => {
    const rows = platformRows(platform, platform);
    return [rows.detail(ARTICLE), rows.records(ARTICLE, ["captured", "sentiment"])];
  },
};

/**
 * Adds rows for platforms that a lake's slices bring and a catalogue does not have: those that every platform of the domain has (assumed;
 * decisions.md, "Catalogue"). A catalogue that has any row of a platform decides about it alone.
 */
export function withOwnPlatforms(
  catalogue: readonly EndpointSpec[],
  platforms: readonly Platform[],
): readonly EndpointSpec[] {
  const known = new Set(catalogue.map(({ platform }) => platform));
  const lacking = platforms.filter(({ slug }) => !known.has(slug));
  return lacking.length === 0
    ? catalogue
    : [...catalogue, ...lacking.flatMap(({ domain, slug }) => ROWS_OF[domain](slug))];
}
