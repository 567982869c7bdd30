import { asSentence } from "../contract/errors.js";
import { didYouMean, nearestName } from "../contract/nearest-name.js";
import type { Domain } from "../contract/service/platforms.js";
import { languageMatches } from "../slice/language-range.js";
import type { Corpus } from "../store/corpus.js";
import { headerText } from "./header-text.js";

/** Filters of a call. */
interface Filter {
  readonly domains?: readonly Domain[] | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly langs?: readonly string[] | undefined;
}

/** Most platforms that a hint names: a call may ask for thousands. */
const NAMED = 8;

/**
 * Returns the header with what {@link missingFrom} says. The answer itself stays as specified (decisions.md). No header if the corpus has
 * data for each.
 */
export function filterHint(corpus: Corpus, filter: Filter): Readonly<Record<string, string>> {
  const missing = missingFrom(corpus, filter);
  return missing === undefined ? {} : { "X-Mirrorlake-Hint": headerText(missing) };
}

/**
 * Names the platforms, domains and languages of a filter without data in the corpus, with suggestions; of many platforms the first, and
 * how many more there are. Undefined if the corpus has data for each.
 */
export function missingFrom(
  corpus: Corpus,
  { domains = [], platforms = [], langs = [] }: Filter,
): string | undefined {
  const { tally } = corpus;
  const missing = [
    ...platformHints(corpus, platforms),
    ...domains
      .filter((domain) => !tally.domains.has(domain))
      .map((domain) => `no ${domain} records in this lake`),
    ...langs
      .filter((lang) => ![...tally.langs.keys()].some((tag) => languageMatches(lang, tag)))
      .map((lang) => `nothing in the language ${lang} in this lake`),
  ];
  if (missing.length === 0) return undefined;
  return [...missing.slice(0, -1).map(asSentence), missing.at(-1)].join(" ");
}

function platformHints(corpus: Corpus, platforms: readonly string[]): string[] {
  if (platforms.length === 0) return [];
  const known = new Set(corpus.platforms().map(({ slug }) => slug));
  const isHeld = (slug: string) => corpus.tally.platforms.has(slug);
  const missing = platforms.filter((slug) => !isHeld(slug));
  if (missing.length === 0) return [];
  const held = [...known].filter(isHeld);
  const alternatives = held.length === 0 ? "" : `; it has ${held.join(", ")}`;
  const hints = missing.slice(0, NAMED).map((slug) => {
    const meant = known.has(slug) ? undefined : (nearestName(slug, held) ?? nearestName(slug, known));
    const problem = known.has(slug) ? "nothing of platform" : "no platform";
    return `${problem} ${JSON.stringify(slug)} in this lake${didYouMean(meant) || alternatives}`;
  });
  const others = missing.length - NAMED;
  return others <= 0 ? hints : [...hints, `and nothing of ${others} ${others === 1 ? "other" : "others"}`];
}
