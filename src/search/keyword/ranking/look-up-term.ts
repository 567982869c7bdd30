import type { QueryTerm } from "../../analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { KeywordSegment } from "../keyword-segment.js";
import type { TermEntry } from "../terms/term-dictionary.js";
import type { DocumentFrequencies } from "./language-statistics.js";
import type { TermStatistics } from "./query-groups.js";

const { foreignForms } = SEARCH_DEFAULTS.keyword;

/** An alternative of a query term in a segment. */
export interface FoundEntry {
  readonly text: string;
  readonly entry: TermEntry;
  /** Languages whose documents match with it; undefined if all do that hold it. */
  readonly spoken?: ReadonlySet<string> | undefined;
}

/** Where the terms of a query are looked up: segments of an index, or what a query found of them elsewhere. */
export interface TermSource {
  readonly keyword: Pick<KeywordSegment, "find">;
}

/** What segments have of a term's alternatives. */
export interface LookedUp {
  /** The forms that these were looked up for. */
  readonly forms: QueryTerm["forms"];
  /** Document frequencies of each alternative. */
  readonly each: readonly DocumentFrequencies[];
  /** The largest of them. */
  readonly frequencies: DocumentFrequencies;
  /** By segment: the alternatives that occur in it. */
  readonly entries: readonly (readonly FoundEntry[])[];
}

/**
 * Looks a term's alternatives up, once in each segment. Loops, here and below: of calls with callbacks V8 compiles so much code that
 * the first queries of a process wait for it.
 */
export function lookUpTerm(
  term: QueryTerm,
  segments: readonly TermSource[],
  statistics: Pick<TermStatistics, "frequencies">,
): LookedUp {
  const entries: FoundEntry[][] = [];
  for (let s = 0; s < segments.length; s += 1) entries.push([]);
  const found: (TermEntry | undefined)[][] = [];
  const all: DocumentFrequencies[] = [];
  const own: DocumentFrequencies[] = [];
  for (const text of term.alternatives) {
    const held: (TermEntry | undefined)[] = [];
    for (let s = 0; s < segments.length; s += 1) held.push(segments[s]!.keyword.find(text));
    const frequencies = statistics.frequencies(held);
    found.push(held);
    all.push(frequencies);
    own.push(ofItsLanguages(term, text, frequencies));
  }
  const frequencies = own.length === 1 ? own[0]! : most(own);
  for (let i = 0; i < found.length; i += 1) {
    const spoken = spokenIn(all[i]!, own[i]!, frequencies);
    if (spoken?.size === 0) continue;
    for (let s = 0; s < segments.length; s += 1) {
      const entry = found[i]![s];
      if (entry !== undefined) entries[s]!.push({ text: term.alternatives[i]!, entry, spoken });
    }
  }
  return { forms: term.forms, each: own, frequencies, entries };
}

/**
 * The frequencies of an alternative in the languages that have it. What others have by chance says neither how rare the word is nor
 * which language the query is in.
 */
function ofItsLanguages(
  { forms }: QueryTerm,
  text: string,
  frequencies: DocumentFrequencies,
): DocumentFrequencies {
  if (forms === undefined) return frequencies;
  let kept: Map<string, number> | undefined;
  for (const language of frequencies.keys()) {
    if (forms.isIn(text, language)) continue;
    kept ??= new Map(frequencies);
    kept.delete(language);
  }
  return kept ?? frequencies;
}

/**
 * The languages whose documents match with an alternative; undefined if all do. In one that does not have it, it may yet be the word, as
 * *program* is *programme*, unless it is much more frequent there: *the* ends as Turkish *theme* does.
 * @param all frequencies of the alternative
 * @param own those in the languages that have it
 * @param word those of the word
 */
function spokenIn(
  all: DocumentFrequencies,
  own: DocumentFrequencies,
  word: DocumentFrequencies,
): ReadonlySet<string> | undefined {
  if (own === all) return undefined;
  const spoken = new Set<string>();
  for (const [language, documents] of all)
    if (own.has(language) || documents <= foreignForms * (word.get(language) ?? 0)) spoken.add(language);
  return spoken.size === all.size ? undefined : spoken;
}

/** The largest of the frequencies, by language. */
function most(frequencies: readonly DocumentFrequencies[]): DocumentFrequencies {
  const merged = new Map<string, number>();
  for (const each of frequencies) {
    for (const [language, count] of each) merged.set(language, Math.max(count, merged.get(language) ?? 0));
  }
  return merged;
}
