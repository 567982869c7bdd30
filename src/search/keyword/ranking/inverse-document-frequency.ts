import { SEARCH_DEFAULTS } from "../../defaults.js";

const PRIOR = SEARCH_DEFAULTS.languagePrior;
/** Rounding unit, so that the last bit of a logarithm changes no ranking. */
const PRECISION = 2 ** 20;
const LEAST = 0.01;

/**
 * Size of a language's collection: its number of documents, smoothed towards the corpus size, so that a
 * language of few documents uses the statistics of the corpus.
 */
export function languageCollection(documentsOfLanguage: number, documents: number): number {
  return (documentsOfLanguage + PRIOR) / (1 + PRIOR / Math.max(1, documents));
}

/**
 * Inverse document frequency, ln(1 + (collection − documents + ½) / (documents + ½)), at least 0.01.
 * `collection` is the mean size of the language collections of the documents that contain the term. Measured
 * against all documents of a multilingual corpus, `the` and `の` would count as rare words.
 */
export function inverseDocumentFrequency(documents: number, collection: number): number {
  const idf = Math.log(1 + Math.max(0, collection - documents + 0.5) / (documents + 0.5));
  return Math.max(LEAST, Math.round(idf * PRECISION) / PRECISION);
}
