import type { QueryTerm } from "../../search/analysis/query-terms.js";
import type { SqlParameters } from "../sql-text.js";
import { formCondition } from "./form-condition.js";

/** That a row's document holds a phrase: its terms at their relative positions. @param live of `postings` */
export function phraseCondition(
  phrase: readonly QueryTerm[],
  live: string,
  parameters: SqlParameters,
): string {
  // Where the phrase would begin, for each position of each term.
  const starts = phrase.map(({ alternatives, forms, position }) => {
    const known = alternatives.map((text) => ({ text, spoken: forms?.spokenIn(text) }));
    const isTerm = formCondition(known, parameters);
    return `arrayMap(x -> toInt64(x) - ${position}, arrayFlatten(groupArrayIf(positions, ${isTerm})))`;
  });
  const all = parameters.add("Array(String)", [
    ...new Set(phrase.flatMap(({ alternatives }) => alternatives)),
  ]);
  const common = starts.length === 1 ? starts[0] : `arrayIntersect(${starts.join(", ")})`;
  return `(load, ordinal) GLOBAL IN (SELECT load, ordinal FROM postings WHERE term IN ${all} AND ${live}
    GROUP BY load, ordinal HAVING notEmpty(${common}))`;
}
