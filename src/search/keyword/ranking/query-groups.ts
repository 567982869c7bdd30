import type { QueryTerm } from "../../analysis/query-terms.js";
import type { TermKind } from "../../analysis/term.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { TermEntry } from "../terms/term-dictionary.js";
import type { DocumentFrequencies, LanguageStatistics } from "./language-statistics.js";
import { type FoundEntry, type LookedUp, lookUpTerm, type TermSource } from "./look-up-term.js";
import { type CountedTerm, type QueryLanguages, queryLanguages } from "./query-languages.js";
import { isQuestionTerm } from "./question-terms.js";
import { TermMemory } from "./term-memory.js";

const { k1, questionWords } = SEARCH_DEFAULTS.keyword;
/** Weight of each kind of term in a query. Kinds that repeat others weigh less. */
const WEIGHT: Partial<Record<TermKind, number>> = SEARCH_DEFAULTS.keyword.kindWeights;

/** Kinds of terms that stand for less than a word. */
const PARTS: ReadonlySet<TermKind> = new Set(["affix", "part"]);

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

/** What {@link queryGroups} asks of statistics. */
export interface TermStatistics
  extends Pick<LanguageStatistics, "languages" | "documentCount" | "idf" | "rarest" | "bound"> {
  /** Document frequencies, by language, of a term with these entries, one for each source that may hold it. */
  frequencies(entries: readonly (TermEntry | undefined)[]): DocumentFrequencies;
}

interface FoundTerm extends LookedUp {
  readonly term: QueryTerm;
  /** Where the query has it: perhaps as several kinds, or as a part of several words. */
  readonly occurrences: QueryTerm[];
}

/**
 * Groups the terms of a query that occur in an index, ordered by descending weight: the order in which scores
 * are added.
 * @param memory of these segments and statistics
 */
export function queryGroups(
  terms: readonly QueryTerm[],
  segments: readonly TermSource[],
  statistics: TermStatistics,
  memory = new TermMemory(),
): QueryGroups {
  const all = new Map<string, FoundTerm>();
  for (const term of terms) {
    const key = term.alternatives.join("\n");
    let found = all.get(key);
    if (found === undefined) {
      const { forms, each, frequencies, entries } = memory.get(key, term, () =>
        lookUpTerm(term, segments, statistics),
      );
      found = { forms, each, frequencies, entries, term, occurrences: [] };
      all.set(key, found);
    }
    found.occurrences.push(term);
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
    if (term.kind !== "affix") evidence.possible += weighted * (k1 + 1);
    if (!occurs) continue;
    if (!PARTS.has(term.kind)) evidence.known = true;
    else if (term.alternatives[0]!.length > 1) evidence.parts = true;
    groups.push({ order, weight: weighted, group: groupOf(found, weighted, statistics) });
  }
  groups.sort((a, b) => b.weight - a.weight || (a.order < b.order ? -1 : 1));
  const { documentCount } = statistics;
  return { groups: groups.map(({ group }) => group), languages, alternatives, documentCount, ...evidence };
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
    rescores: term.kind === "affix",
    entries,
  };
}
