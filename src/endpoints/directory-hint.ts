import { didYouMean, nearestName } from "../contract/nearest-name.js";
import type { Platform } from "../contract/service/platforms.js";
import { headerText } from "./header-text.js";

/**
 * Returns the header that says why the directory has no entry of a platform: there is none of that name, with the listed one that was
 * probably meant, or it is of the web. No header for a platform that the directory lists, or none.
 */
export function directoryHint(
  platform: string | undefined,
  platforms: readonly Platform[],
): Readonly<Record<string, string>> {
  if (platform === undefined) return {};
  const known = platforms.find(({ slug }) => slug === platform);
  if (known !== undefined && known.domain !== "web") return {};
  const quoted = JSON.stringify(platform);
  const slugs = platforms.map(({ slug }) => slug);
  const meant = didYouMean(nearestName(platform, slugs)) || `; there are ${slugs.join(", ")}`;
  const said =
    known === undefined
      ? `no platform ${quoted} in this lake${meant}`
      : `${quoted} is of the web; the directory lists social platforms and marketplaces alone`;
  return { "X-Mirrorlake-Hint": headerText(said) };
}
