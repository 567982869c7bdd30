import type { QueryTerm } from "../../analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { QueryLanguages } from "./query-languages.js";

const { likely } = SEARCH_DEFAULTS.keyword.questionWords;

/** Whether a term is a question word, or a part of one, in a language that its query is likely in. */
export function isQuestionTerm(
  { questionIn }: Pick<QueryTerm, "questionIn">,
  languages: QueryLanguages,
): boolean {
  return questionIn.some((language) => (languages.get(language) ?? 0) >= likely);
}

/** The terms of a query without its question words; all where there are no others. */
export function contentTerms(terms: readonly QueryTerm[], languages: QueryLanguages): readonly QueryTerm[] {
  const content = terms.filter((term) => !isQuestionTerm(term, languages));
  return content.length === 0 ? terms : content;
}
