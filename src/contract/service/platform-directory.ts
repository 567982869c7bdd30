import { z } from "zod";
import { ownMember } from "../own-member.js";
import { Domain, PlatformSlug } from "./platforms.js";

/** Collection frequency of a platform's data (service.md section 1: "hourly, daily, daily plus price"). */
export const FreshnessClass = z.enum(["hourly", "daily", "daily_plus_price"]);
export type FreshnessClass = z.infer<typeof FreshnessClass>;

/** Ways to access a platform (service.md section 1). */
export const Access = z.enum(["L1", "L2", "MCP"]);
export type Access = z.infer<typeof Access>;

const count = z.number().int().min(0);

/** A platform directory entry: service.md section 1 specifies its content, the names are assumed. */
export const DirectoryEntry = z.strictObject({
  platform: PlatformSlug,
  name: z.string(),
  domain: Domain,
  /** Three-letter code in the platform's record ids. */
  code: z.string(),
  /** Kind of coverage page: `short video`, `marketplace`. */
  kind: z.string(),
  /** `search`, `slices`, and the resources of the platform's raw endpoints. */
  capabilities: z.array(z.string()),
  freshness_class: FreshnessClass,
  access: z.array(Access),
  /** Number of the platform's records in the corpus. */
  records: count,
  /** Number of the platform's slices in the corpus. */
  slices: count,
});
export type DirectoryEntry = Readonly<z.infer<typeof DirectoryEntry>>;

/** Kinds of coverage page by platform (service.md section 1 names the four social kinds and marketplaces). */
const KINDS: Readonly<Record<string, string>> = {
  "short-video": "short video",
  "short-video-lite": "short video",
  "intl-short-video": "short video",
  "video-community": "video",
  "long-video": "long video",
  "messenger-channels": "messenger public channels",
};

const HOURLY: ReadonlySet<string> = new Set([
  "microblog",
  "short-video",
  "messenger-channels",
  "global-news",
]);

/** Directory fields of a platform; all assumed. A corpus's own platforms are daily. */
export function coverageOf(platform: {
  readonly slug: string;
  readonly domain: Domain;
  readonly name: string;
}): {
  readonly kind: string;
  readonly freshness_class: FreshnessClass;
} {
  const marketplace = platform.domain === "ecommerce";
  return {
    kind: ownMember(KINDS, platform.slug) ?? (marketplace ? "marketplace" : platform.name.toLowerCase()),
    freshness_class: marketplace ? "daily_plus_price" : HOURLY.has(platform.slug) ? "hourly" : "daily",
  };
}
