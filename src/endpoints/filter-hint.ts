import { didYouMean, nearestName } from "../contract/nearest-name.js";
import type { Domain } from "../contract/service/platforms.js";
import type { Corpus } from "../store/corpus.js";
import { headerText } from "./header-text.js";

/** Filters of a call. */
interface Filter {
  readonly domains?: readonly Domain[] | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly langs?: readonly string[] | undefined;
}

/**
 * Returns the header that names platforms, domains and languages without data in the corpus, with suggestions. The
 * answer itself stays as specified (decisions.md). No header if the corpus has data for each.
 */
export function filterHint(
  corpus: Corpus,
  { domains = [], platforms = [], langs = [] }: Filter,
): Readonly<Record<string, string>> {
  const held = (filter: Filter) => corpus.match(filter).count > 0;
  const missing = [
    ...platforms.filter((slug) => !held({ platforms: [slug] })).map((slug) => platformHint(corpus, slug)),
    ...domains
      .filter((domain) => !held({ domains: [domain] }))
      .map((domain) => `no ${domain} records in this lake`),
    ...langs
      .filter((lang) => !held({ langs: [lang] }))
      .map((lang) => `nothing in the language ${lang} in this lake`),
  ];
  return missing.length === 0 ? {} : { "X-Mirrorlake-Hint": headerText(missing.join(". ")) };
}

function platformHint(corpus: Corpus, slug: string): string {
  const known = corpus.platforms().map((platform) => platform.slug);
  const held = known.filter((platform) => corpus.match({ platforms: [platform] }).count > 0);
  const meant = known.includes(slug) ? undefined : (nearestName(slug, held) ?? nearestName(slug, known));
  const alternatives = held.length === 0 ? "" : `; it has ${held.join(", ")}`;
  const problem = known.includes(slug) ? "nothing of platform" : "no platform";
  return `${problem} ${JSON.stringify(slug)} in this lake${didYouMean(meant) || alternatives}`;
}
