import { SEARCH_DEFAULTS } from "../defaults.js";

const PRIOR = SEARCH_DEFAULTS.languagePrior;
/** Rounded to this fraction, so that the last bit of a logarithm decides nothing. */
const PRECISION = 2 ** 20;
const LEAST = 0.01;

/**
 * The size of the collection that a language's documents are: their number, smoothed towards the whole corpus, so that a
 * language of few documents is judged as the corpus is.
 */
export function languageCollection(documentsOfLanguage: number, documents: number): number {
  return (documentsOfLanguage + PRIOR) / (1 + PRIOR / Math.max(1, documents));
}

/**
 * How rare a term is: ln(1 + (collection − documents + ½) / (documents + ½)), never below 0.01. `collection` is the mean
 * size of the language collections of the documents that hold it: in a corpus of several languages, `the` and `の` would
 * pass for rare words if they were measured against all documents.
 */
export function inverseDocumentFrequency(documents: number, collection: number): number {
  const idf = Math.log(1 + Math.max(0, collection - documents + 0.5) / (documents + 0.5));
  return Math.max(LEAST, Math.round(idf * PRECISION) / PRECISION);
}
