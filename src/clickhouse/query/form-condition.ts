import type { SqlParameters } from "../sql-text.js";

/** A form of a word, as postings have it. */
export interface WordForm {
  readonly text: string;
  /** Languages whose documents match with it; undefined if all do that hold it. */
  readonly spoken?: ReadonlySet<string> | undefined;
}

/** That a row of `postings` is of a word in one of its forms. */
export function formCondition(forms: readonly WordForm[], parameters: SqlParameters): string {
  const everywhere = forms.filter(({ spoken }) => spoken === undefined).map(({ text }) => text);
  const conditions: string[] = [];
  if (everywhere.length > 0 || forms.length === 0)
    conditions.push(`term IN ${parameters.add("Array(String)", everywhere)}`);
  for (const { text, spoken } of forms) {
    if (spoken === undefined) continue;
    const languages = parameters.add("Array(String)", [...spoken]);
    conditions.push(`(term = ${parameters.add("String", text)} AND language IN ${languages})`);
  }
  return conditions.length === 1 ? conditions[0]! : `(${conditions.join(" OR ")})`;
}
