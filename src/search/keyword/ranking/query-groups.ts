import type { QueryTerm } from "../../analysis/query-terms.js";
import type { TermKind } from "../../analysis/term.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { KeywordSegment } from "../keyword-segment.js";
import type { TermEntry } from "../terms/term-dictionary.js";
import type { DocumentFrequencies, LanguageStatistics } from "./language-statistics.js";
import { type CountedTerm, type QueryLanguages, queryLanguages } from "./query-languages.js";
import { isQuestionTerm } from "./question-terms.js";

const { k1, questionWords, foreignForms } = SEARCH_DEFAULTS.keyword;
/** Weight of each kind of term in a query. Kinds that repeat others weigh less. */
const WEIGHT: Partial<Record<TermKind, number>> = SEARCH_DEFAULTS.keyword.kindWeights;

/** Kinds of terms that stand for less than a word. */
const PARTS: ReadonlySet<TermKind> = new Set(["affix", "part", "variant", "joint"]);
/** Kinds that only rescore what other terms found. */
const RESCORING: ReadonlySet<TermKind> = new Set(["affix", "variant", "joint"]);

/** An alternative of a query term in a segment. */
export interface FoundEntry {
  readonly text: string;
  readonly entry: TermEntry;
  /** Languages whose documents match with it; undefined if all do that hold it. */
  readonly spoken?: ReadonlySet<string> | undefined;
}

/** A query term in an index: its postings in each segment, and its score. */
export interface Group {
  /** A document scores `gain` · frequency / (frequency + norm). */
  readonly gain: number;
  /** Upper bound of the score. */
  readonly bound: number;
  /** Number of postings of all alternatives. */
  readonly documents: number;
  /** Whether the group only rescores rows that other terms found. */
  readonly rescores: boolean;
  /** Whether a group that rescores finds rows, too, where other terms find fewer than are wanted. */
  readonly fills: boolean;
  /** By segment: the alternatives that occur in it. */
  readonly entries: readonly (readonly FoundEntry[])[];
}

/** A query's terms in an index. */
export interface QueryGroups {
  readonly groups: readonly Group[];
  readonly languages: QueryLanguages;
  /**
   * In how many documents each alternative of a term is, by how likely the query is in their languages; of terms whose alternatives are
   * of different languages.
   */
  readonly alternatives: ReadonlyMap<QueryTerm, readonly number[]>;
  /** Whether some document holds a term of the query that is no part of a word. */
  readonly known: boolean;
  /** Whether some document holds parts of its words, longer than one character. */
  readonly parts: boolean;
  /** The score that the query's terms would have together, those that no document holds being the rarest; without affixes. */
  readonly possible: number;
  /** Number of documents of the index. */
  readonly documentCount: number;
}

/** Where the terms of a query are looked up: segments of an index, or what a query found of them elsewhere. */
export interface TermSource {
  readonly keyword: Pick<KeywordSegment, "find">;
}

/** What {@link queryGroups} asks of statistics. */
export interface TermStatistics
  extends Pick<LanguageStatistics, "languages" | "documentCount" | "idf" | "rarest" | "bound"> {
  /** Document frequencies, by language, of a term with these entries, one for each source that may hold it. */
  frequencies(entries: readonly (TermEntry | undefined)[]): DocumentFrequencies;
}

interface FoundTerm {
  readonly term: QueryTerm;
  /** Where the query has it: perhaps as several kinds, or as a part of several words. */
  readonly occurrences: QueryTerm[];
  /** Those of each alternative. */
  readonly each: readonly DocumentFrequencies[];
  /** The largest of them. */
  readonly frequencies: DocumentFrequencies;
  /** By segment: the alternatives that occur in it. */
  readonly entries: readonly (readonly FoundEntry[])[];
}

/**
 * Groups the terms of a query that occur in an index, ordered by descending weight: the order in which scores
 * are added.
 */
export function queryGroups(
  terms: readonly QueryTerm[],
  segments: readonly TermSource[],
  statistics: TermStatistics,
): QueryGroups {
  const all = new Map<string, FoundTerm>();
  for (const term of terms) {
    // The first syllable of a word only rescores; where the query has it as a word, that finds.
    const key = `${term.kind === "variant" ? "\n" : ""}${term.alternatives.join("\n")}`;
    const found = all.get(key) ?? find(term, segments, statistics);
    found.occurrences.push(term);
    all.set(key, found);
  }
  const counted: CountedTerm[] = [];
  for (const { term, frequencies } of all.values())
    counted.push({ kind: term.kind, frequencies, letters: term.letters });
  const languages = queryLanguages(counted, statistics);
  const alternatives = new Map<QueryTerm, readonly number[]>();
  const groups: { order: string; weight: number; group: Group }[] = [];
  const evidence = { known: false, parts: false, possible: 0 };
  for (const [order, found] of all) {
    const { term, occurrences, frequencies } = found;
    if (term.forms !== undefined && found.each.length > 1) {
      const documents = found.each.map((each) => likelyDocuments(each, languages));
      for (const occurrence of occurrences) alternatives.set(occurrence, documents);
    }
    const occurs = frequencies.size > 0;
    const rarity = occurs ? statistics.idf(frequencies, languages) : statistics.rarest;
    const weighted = weightOf(occurrences, languages) * rarity;
    if (!RESCORING.has(term.kind)) evidence.possible += weighted * (k1 + 1);
    if (!occurs) continue;
    if (!PARTS.has(term.kind)) evidence.known = true;
    else if (term.alternatives[0]!.length > 1) evidence.parts = true;
    groups.push({ order, weight: weighted, group: groupOf(found, weighted, statistics) });
  }
  groups.sort((a, b) => b.weight - a.weight || (a.order < b.order ? -1 : 1));
  const { documentCount } = statistics;
  return { groups: groups.map(({ group }) => group), languages, alternatives, documentCount, ...evidence };
}

/**
 * Looks a term's alternatives up, once in each segment. Loops, here and below: of calls with callbacks V8 compiles so much code that
 * the first queries of a process wait for it.
 */
function find(term: QueryTerm, segments: readonly TermSource[], statistics: TermStatistics): FoundTerm {
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
  return { term, occurrences: [], each: own, frequencies, entries };
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

/** Number of documents, those of each language as far as the query is likely in it. */
function likelyDocuments(frequencies: DocumentFrequencies, languages: QueryLanguages): number {
  let sum = 0;
  for (const [language, documents] of frequencies) sum += documents * (languages.get(language) ?? 0);
  return sum;
}

/** The sum of the weights of a term's kinds; of question words, a part of them. */
function weightOf(occurrences: readonly QueryTerm[], languages: QueryLanguages): number {
  let sum = 0;
  for (let i = 0; i < occurrences.length; i += 1) {
    const term = occurrences[i]!;
    const weight = term.alone === true ? 1 : (WEIGHT[term.kind] ?? 1);
    sum += isQuestionTerm(term, languages) ? weight * questionWords.weight : weight;
  }
  return sum;
}

/** The largest of the frequencies, by language. */
function most(frequencies: readonly DocumentFrequencies[]): DocumentFrequencies {
  const merged = new Map<string, number>();
  for (const each of frequencies) {
    for (const [language, count] of each) merged.set(language, Math.max(count, merged.get(language) ?? 0));
  }
  return merged;
}

function groupOf({ term, entries }: FoundTerm, weighted: number, statistics: TermStatistics): Group {
  let documents = 0;
  let maxFrequency = 0;
  let minLength = Number.POSITIVE_INFINITY;
  for (const found of entries) {
    let frequency = 0;
    for (const { entry } of found) {
      documents += entry.documents;
      frequency += entry.maxFrequency;
      minLength = Math.min(minLength, entry.minLength);
    }
    maxFrequency = Math.max(maxFrequency, frequency);
  }
  return {
    gain: weighted * (k1 + 1),
    bound: weighted * statistics.bound(maxFrequency, minLength),
    documents,
    rescores: RESCORING.has(term.kind),
    fills: term.kind === "affix",
    entries,
  };
}
