import type { QueryTerm } from "../../search/analysis/query-terms.js";
import type { SqlParameters } from "../sql-text.js";

/** That a row's document holds a phrase: its terms at their relative positions. @param live of `postings` */
export function phraseCondition(
  phrase: readonly QueryTerm[],
  live: string,
  parameters: SqlParameters,
): string {
  const places = phrase.map(({ alternatives, position }) => ({
    terms: parameters.add("Array(String)", alternatives),
    position,
  }));
  // Where the phrase would begin, for each position of each term.
  const starts = places.map(
    ({ terms, position }) =>
      `arrayMap(x -> toInt64(x) - ${position}, arrayFlatten(groupArrayIf(positions, term IN ${terms})))`,
  );
  const all = parameters.add("Array(String)", [
    ...new Set(phrase.flatMap(({ alternatives }) => alternatives)),
  ]);
  const common = starts.length === 1 ? starts[0] : `arrayIntersect(${starts.join(", ")})`;
  return `(load, ordinal) GLOBAL IN (SELECT load, ordinal FROM postings WHERE term IN ${all} AND ${live}
    GROUP BY load, ordinal HAVING notEmpty(${common}))`;
}
