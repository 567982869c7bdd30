import { writesLetter } from "../../analysis/alphabets.js";
import type { TermKind } from "../../analysis/term.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { DocumentFrequencies, LanguageStatistics } from "./language-statistics.js";

const { languageSmoothing, languagePrior, unwritten, commonWords } = SEARCH_DEFAULTS.keyword;
/** Rounding unit, so that the last bit of an exponential changes no ranking. */
const PRECISION = 2 ** 20;
const UNWRITTEN = Math.log(unwritten);
/** Kinds that tell languages apart; the others repeat them or belong to none. */
const TELLING: ReadonlySet<TermKind> = new Set(["word", "syllable", "pair", "character"]);

/** How likely a query is in a language of the corpus, by language: 1 for the likeliest, 0 for one that is out of the question. */
export type QueryLanguages = ReadonlyMap<string, number>;

/** A query term's kind, and in how many documents of each language it occurs. */
export interface CountedTerm {
  readonly kind: TermKind;
  readonly frequencies: DocumentFrequencies;
  /** Letters that not all languages write. */
  readonly letters?: readonly string[] | undefined;
}

/**
 * Tells the language of a query from its words: naive Bayes over the rates at which each language's texts use them, smoothed
 * towards the rate of all texts. Languages with more documents are likelier, by a root of their number. Function
 * words decide for a sentence; a name that all languages share leaves several likely: how often each has it says what its texts are
 * about. A language that does not write a word's letters is less likely, and not out of the question: English has names from elsewhere.
 */
export function queryLanguages(
  terms: readonly CountedTerm[],
  statistics: Pick<LanguageStatistics, "languages">,
): QueryLanguages {
  const names: string[] = [];
  const lengths: number[] = [];
  const sizes: number[] = [];
  const logs: number[] = [];
  const rates: number[] = [];
  let total = 0;
  for (const [language, { length, documents }] of statistics.languages) {
    if (length <= 0) continue;
    names.push(language);
    lengths.push(length);
    sizes.push(documents);
    logs.push(Math.log(documents) * languagePrior);
    total += length;
  }
  for (const { kind, frequencies, letters } of terms) {
    if (letters !== undefined) {
      for (let i = 0; i < names.length; i += 1) if (!writesAll(names[i]!, letters)) logs[i]! += UNWRITTEN;
    }
    if (!TELLING.has(kind) || frequencies.size === 0) continue;
    let all = 0;
    for (const documents of frequencies.values()) all += documents;
    const rate = all / total;
    let share = 0;
    let shared = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < names.length; i += 1) {
      const documents = frequencies.get(names[i]!) ?? 0;
      rates[i] = Math.log((documents + languageSmoothing * rate) / (lengths[i]! + languageSmoothing));
      if (documents === 0) continue;
      share = Math.max(share, documents / (sizes[i]! + commonWords.fewDocuments));
      shared = Math.max(shared, rates[i]!);
    }
    const common = Math.min(1, share / commonWords.share);
    for (let i = 0; i < names.length; i += 1)
      logs[i]! += frequencies.has(names[i]!) ? common * rates[i]! + (1 - common) * shared : rates[i]!;
  }
  const most = Math.max(...logs);
  const likely = new Map<string, number>();
  for (let i = 0; i < names.length; i += 1)
    likely.set(names[i]!, Math.round(Math.exp(logs[i]! - most) * PRECISION) / PRECISION);
  return likely;
}

function writesAll(language: string, letters: readonly string[]): boolean {
  for (const letter of letters) if (writesLetter(language, letter) === false) return false;
  return true;
}
