import type { EndpointSpec } from "../endpoint.js";
import { type Domain, PLATFORMS, type Platform } from "../platforms.js";
import { discussion, marketplace, platformRows } from "./platform-rows.js";
import { ARTICLE, PRODUCT } from "./thing.js";

const SHIPPED: ReadonlySet<string> = new Set(PLATFORMS.map(({ slug }) => slug));

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
 * Adds rows for platforms that a lake's slices bring: those that every platform of the domain has (assumed; decisions.md, "Catalogue").
 * A catalogue's own row takes the place of the added one with its id, or with its method and path.
 * @param platforms platforms of slices; those that are shipped have rows already
 * @param removed ids of rows that are not added
 */
export function withOwnPlatforms(
  catalogue: readonly EndpointSpec[],
  platforms: readonly Platform[],
  removed: ReadonlySet<string> = new Set(),
): readonly EndpointSpec[] {
  const ids = new Set(catalogue.map(({ id }) => id));
  const routes = new Set(catalogue.map(routeOf));
  const added = platforms
    .filter(({ slug }) => !SHIPPED.has(slug))
    .flatMap(({ domain, slug }) => ROWS_OF[domain](slug))
    .filter((row) => !ids.has(row.id) && !removed.has(row.id) && !routes.has(routeOf(row)));
  return added.length === 0 ? catalogue : [...catalogue, ...added];
}

/** Says whether an id is that of a row which {@link withOwnPlatforms} adds for some platform that is not shipped. */
export function isOwnPlatformRow(id: string): boolean {
  const [, slug] = /^raw\.([a-z][a-z0-9-]*)\./.exec(id) ?? [];
  if (slug === undefined || SHIPPED.has(slug)) return false;
  return Object.values(ROWS_OF).some((rowsOf) => rowsOf(slug).some((row) => row.id === id));
}

function routeOf({ method, path }: EndpointSpec): string {
  return `${method} ${path}`;
}
