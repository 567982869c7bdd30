import type { TermKind } from "../../analysis/term.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { DocumentFrequencies, LanguageStatistics } from "./language-statistics.js";

const { languageSmoothing } = SEARCH_DEFAULTS.keyword;
/** Rounding unit, so that the last bit of an exponential changes no ranking. */
const PRECISION = 2 ** 20;
/** Kinds that tell languages apart; the others repeat them or belong to none. */
const TELLING: ReadonlySet<TermKind> = new Set(["word", "syllable", "pair", "character"]);

/** How likely a query is in a language of the corpus, by language: 1 for the likeliest, 0 for one that is out of the question. */
export type QueryLanguages = ReadonlyMap<string, number>;

/** A query term's kind, and in how many documents of each language it occurs. */
export interface CountedTerm {
  readonly kind: TermKind;
  readonly frequencies: DocumentFrequencies;
}

/**
 * Tells the language of a query from its words: naive Bayes over the rates at which each language's texts use them, smoothed
 * towards the rate of all texts. Languages with more documents are likelier, by the square root of their number. Function
 * words decide for a sentence; a name that all languages share leaves several likely.
 */
export function queryLanguages(
  terms: readonly CountedTerm[],
  statistics: Pick<LanguageStatistics, "languages">,
): QueryLanguages {
  const languages = [...statistics.languages].filter(([, { length }]) => length > 0);
  const total = languages.reduce((sum, [, { length }]) => sum + length, 0);
  const logs = languages.map(([, { documents }]) => Math.log(documents) / 2);
  for (const { kind, frequencies } of terms) {
    if (!TELLING.has(kind) || frequencies.size === 0) continue;
    const rate = [...frequencies.values()].reduce((sum, documents) => sum + documents, 0) / total;
    languages.forEach(([language, { length }], i) => {
      const documents = frequencies.get(language) ?? 0;
      logs[i]! += Math.log((documents + languageSmoothing * rate) / (length + languageSmoothing));
    });
  }
  const most = Math.max(...logs);
  return new Map(
    languages.map(([language], i) => [
      language,
      Math.round(Math.exp(logs[i]! - most) * PRECISION) / PRECISION,
    ]),
  );
}
