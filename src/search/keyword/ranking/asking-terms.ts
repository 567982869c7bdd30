import type { QueryTerm } from "../../analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { QueryLanguages } from "./query-languages.js";

const { likely } = SEARCH_DEFAULTS.keyword.asking;

/** Whether any of the terms asks in some language: only then it matters which the query is in. */
export function mayAsk(terms: readonly QueryTerm[]): boolean {
  return terms.some(({ asks }) => asks.length > 0);
}

/** Whether a term asks in a language that its query is likely in. */
export function isAsking({ asks }: Pick<QueryTerm, "asks">, languages: QueryLanguages): boolean {
  return asks.some((language) => (languages.get(language) ?? 0) >= likely);
}

/** The terms of a query that say what is asked for; all where none of them does. */
export function withoutAsking(terms: readonly QueryTerm[], languages: QueryLanguages): readonly QueryTerm[] {
  const saying = terms.filter((term) => !isAsking(term, languages));
  return saying.length === 0 ? terms : saying;
}
