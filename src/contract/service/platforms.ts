import { z } from "zod";
import type { Label } from "./label.js";

/** The three domains of the service (service.md section 1). */
export const Domain = z.enum(["social", "ecommerce", "web"]);
export type Domain = z.infer<typeof Domain>;

/** Record id prefix of each domain (service.md section 2.3). */
export const DOMAIN_PREFIX = { social: "soc", ecommerce: "eco", web: "web" } as const satisfies Record<
  Domain,
  string
>;

/** A platform slug for URL paths: lower-case letters, digits and hyphens. */
export const PlatformSlug = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, "must be lower-case letters, digits and hyphens");

/** A platform of the service or of a corpus: its slug, its domain, and the code in its record ids. */
export const Platform = z.strictObject({
  slug: PlatformSlug,
  domain: Domain,
  code: z.string().regex(/^[a-z0-9]{3}$/, "must be three lower-case letters or digits"),
  name: z.string().min(1).max(80),
});
export type Platform = Readonly<z.infer<typeof Platform>>;

const SHIPPED = [
  ["short-video", "social", "shv", "Short video"],
  ["short-video-lite", "social", "svl", "Short video, second platform"],
  ["video-community", "social", "vcm", "Video community"],
  ["long-video", "social", "lgv", "Long video"],
  ["creator-market", "social", "crm", "Creator marketplace"],
  ["creator-exchange", "social", "crx", "Creator marketplace, second platform"],
  ["forum", "social", "frm", "Forum"],
  ["lifestyle-notes", "social", "lfn", "Lifestyle notes"],
  ["intl-short-video", "social", "isv", "International short video"],
  ["microblog", "social", "mbl", "Microblog"],
  ["messenger-channels", "social", "msc", "Messenger public channels"],
  ["sea-marketplace", "ecommerce", "sea", "Southeast-Asia marketplace"],
  ["global-marketplace", "ecommerce", "glm", "Global marketplace"],
  ["travel-marketplace", "ecommerce", "trv", "Travel marketplace"],
  ["global-news", "web", "gnw", "Global news"],
  ["brand-marketing", "web", "brm", "Brand marketing"],
  ["brand-insights", "web", "bri", "Brand marketing, second platform"],
] as const;

/** Slug of a shipped platform; a corpus may have others. */
export type ShippedPlatform = (typeof SHIPPED)[number][0];

/**
 * The shipped platforms. The kinds are specified (service.md section 1 names no brand); slugs and codes are
 * assumed.
 */
export const PLATFORMS: readonly (Platform & { readonly label: Label })[] = SHIPPED.map(
  ([slug, domain, code, name]) => ({ slug, domain, code, name, label: "assumed" }),
);

/** The shipped platforms and those of a corpus, one of each slug: a shipped one comes first. */
export function withShipped(platforms: Iterable<Platform>): readonly Platform[] {
  const known = new Map<string, Platform>(
    PLATFORMS.map(({ slug, domain, code, name }) => [slug, { slug, domain, code, name }]),
  );
  for (const platform of platforms) if (!known.has(platform.slug)) known.set(platform.slug, platform);
  return [...known.values()];
}
