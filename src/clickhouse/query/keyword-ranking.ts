import type { QueryTerm } from "../../search/analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import type { CandidateRows } from "../../search/document.js";
import type { LanguageLengths } from "../../search/keyword/ranking/language-lengths.js";
import {
  type DocumentFrequencies,
  LanguageStatistics,
} from "../../search/keyword/ranking/language-statistics.js";
import { type Group, type QueryGroups, queryGroups } from "../../search/keyword/ranking/query-groups.js";
import type { TermEntry } from "../../search/keyword/terms/term-dictionary.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { SqlParameters } from "../sql-text.js";
import type { Conditions } from "./conditions.js";
import { formCondition } from "./form-condition.js";
import { phraseCondition } from "./phrase-condition.js";
import type { RowPlaces } from "./row-places.js";

const { k1, b, rescored } = SEARCH_DEFAULTS.keyword;
const NOWHERE = { offset: 0, bytes: 0 };

/** A row that a ranking found. */
export interface FoundRow {
  readonly row: number;
  readonly score: number;
  /** Language of the document, primary subtag. */
  readonly language: string;
  /** The id, where the ranking knows it. */
  readonly id?: Buffer;
}

/** What rows hold words of a query. */
export interface WordRows {
  /** The ranking, best first. */
  readonly ranked: readonly FoundRow[];
  /** The ranking, and further rows. */
  readonly matching: readonly FoundRow[];
}

/** How rows are scored: by some groups, the first `depth` by others as well. */
interface Scoring {
  readonly groups: readonly Group[];
  readonly rescoring: readonly Group[];
  readonly depth: number;
  /** Rows that are wanted beside the ranking. */
  readonly wanted: number;
}

/** What limits a ranking. */
export interface KeywordLimits {
  readonly candidates: CandidateRows;
  /** Rows whose documents hold all of these; all rows if there are none. */
  readonly phrases: readonly (readonly QueryTerm[])[];
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/**
 * BM25 in SQL over the terms and lengths of our own analysis. Document frequencies and typical lengths are those of the whole lake,
 * whatever shard a document is on. Scores are sums in the same order and precision as in a lake on disk, so they are equal.
 */
export class KeywordRanking {
  private readonly statistics: LanguageStatistics;
  /** Terms that were counted, by language: nothing of a view changes. */
  private readonly counted = new Map<string, ReadonlyMap<string, number>>();

  constructor(
    private readonly connection: Connection,
    private readonly conditions: Conditions,
    private readonly places: RowPlaces,
    private readonly languages: ReadonlyMap<string, LanguageLengths>,
  ) {
    this.statistics = new LanguageStatistics(languages);
  }

  /** Finds the terms of a query: in how many documents of each language they are. */
  async query(terms: readonly QueryTerm[], signal?: AbortSignal): Promise<QueryGroups> {
    const texts = [...new Set(terms.flatMap(({ alternatives }) => alternatives))];
    const found = new Map<string, { entry: TermEntry; frequencies: ReadonlyMap<string, number> }>();
    for (const [text, frequencies] of await this.count(texts, signal))
      if (frequencies.size > 0) found.set(text, { entry: entryOf([...frequencies.values()]), frequencies });
    const frequencies = new Map([...found.values()].map(({ entry, frequencies }) => [entry, frequencies]));
    return queryGroups(terms, [{ keyword: { find: (term) => found.get(term)?.entry } }], {
      languages: this.languages,
      idf: (of, languages) => this.statistics.idf(of, languages),
      documentCount: this.statistics.documentCount,
      rarest: this.statistics.rarest,
      bound: () => Number.POSITIVE_INFINITY,
      frequencies: ([entry]): DocumentFrequencies =>
        (entry === undefined ? undefined : frequencies.get(entry)) ?? new Map(),
    });
  }

  /** In how many documents of each language some terms are; of those that were counted before the server is not asked again. */
  private async count(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Map<string, ReadonlyMap<string, number>>> {
    const found = new Map<string, Map<string, number>>();
    const known = new Map<string, ReadonlyMap<string, number>>();
    for (const text of texts) {
      const frequencies = this.counted.get(text);
      if (frequencies === undefined) found.set(text, new Map());
      else known.set(text, frequencies);
    }
    if (found.size === 0) return known;
    const parameters = new SqlParameters();
    const rows = await this.connection.rows<[string, string, number]>(
      `SELECT term, language, count() FROM postings
        WHERE term IN ${parameters.add("Array(String)", [...found.keys()])} AND ${this.conditions.live("records")}
        GROUP BY term, language ORDER BY term, language`,
      parameters.values,
      signal,
    );
    for (const [term, language, documents] of rows) found.get(term)!.set(language, documents);
    if (this.counted.size + found.size > CLICKHOUSE_DEFAULTS.countedTerms) this.counted.clear();
    for (const [text, frequencies] of found) {
      this.counted.set(text, frequencies);
      known.set(text, frequencies);
    }
    return known;
  }

  /**
   * The best candidates that hold any of the query's terms, best first; those that score as the last one does are all there.
   * Affixes, which are many and say little, only rescore the best rows, unless these are fewer than wanted; first syllables and joints of
   * Korean words always do.
   */
  async rank(words: QueryGroups, limits: KeywordLimits): Promise<readonly FoundRow[]> {
    return (await this.rankWith(words, limits, 0)).ranked;
  }

  /** Ranks, and gives as many as `wanted` matching candidates beside, by the same query: the best without regard to affixes. */
  async rankWith(words: QueryGroups, limits: KeywordLimits, wanted: number): Promise<WordRows> {
    const groups = words.groups.filter(({ rescores }) => !rescores);
    const rescoring = words.groups.filter(({ rescores }) => rescores);
    const filling = rescoring.filter(({ fills }) => fills);
    if (groups.length === 0 && filling.length === 0) return { ranked: [], matching: [] };
    const depthOf = ({ length }: readonly Group[]) =>
      length === 0 ? limits.limit : Math.max(limits.limit, rescored);
    const holding = groups.reduce((sum, { documents }) => sum + documents, 0);
    // At most so many rows can be found: where they are too few, nothing is asked for them alone.
    const mayFill = groups.length > 0 && Math.min(holding, limits.candidates.count) >= limits.limit;
    if (filling.length === 0 || mayFill) {
      const found = await this.score({ groups, rescoring, depth: depthOf(rescoring), wanted }, limits);
      if (found.ranked.length >= limits.limit || filling.length === 0) return found;
    }
    const others = rescoring.filter(({ fills }) => !fills);
    const all = { groups: [...groups, ...filling], rescoring: others, depth: depthOf(others), wanted };
    return this.score(all, limits);
  }

  private async score(
    { groups, rescoring, depth, wanted }: Scoring,
    { candidates, phrases, limit, signal }: KeywordLimits,
  ): Promise<WordRows> {
    const parameters = new SqlParameters();
    const all = [...groups, ...rescoring];
    const formsOf = (group: Group) => group.entries.flat();
    const frequencies = all.map(
      (group, i) => `toFloat64(sumIf(frequency, ${formCondition(formsOf(group), parameters)})) AS f${i}`,
    );
    const sum = (from: number, to: number) =>
      all
        .slice(from, to)
        .map(({ gain }, i) => `(${gain} * f${from + i}) / (f${from + i} + norm)`)
        .join(" + ");
    const languages = [...this.languages];
    const typical = `transform(toString(any(language)), ${parameters.add(
      "Array(String)",
      languages.map(([language]) => language),
    )}, ${parameters.add(
      "Array(Float64)",
      languages.map(([, lengths]) => lengths.typical || 1),
    )}, 1.)`;
    const known = [
      `term IN ${parameters.add("Array(String)", [...new Set(all.flatMap(formsOf).map(({ text }) => text))])}`,
      this.conditions.among(candidates, parameters),
      ...phrases.map((phrase) => phraseCondition(phrase, this.conditions.live("records"), parameters)),
    ];
    // A JavaScript engine keeps norms as 32-bit floats, and adds scores in the order of the groups.
    const norm = `toFloat64(toFloat32(${2 * k1} * (${1 - b} + (${b} * any(length)) / ${typical})))`;
    const rest = rescoring.length === 0 ? "" : ` + ${sum(groups.length, all.length)}`;
    const rows = await this.connection.rows<[number, number, string, number, number]>(
      `SELECT load, ordinal, spoken, main, main${rest} AS score FROM (
        SELECT *, ${sum(0, groups.length)} AS main FROM (
          SELECT load, ordinal, any(language) AS spoken, ${norm} AS norm, ${frequencies.join(", ")}
          FROM postings WHERE ${known.join(" AND ")} GROUP BY load, ordinal
        ) WHERE main > 0 ORDER BY main DESC LIMIT ${Math.max(depth, wanted)} WITH TIES
      ) ORDER BY score DESC${wanted > depth ? "" : ` LIMIT ${limit} WITH TIES`}`,
      parameters.values,
      signal,
    );
    const matching = rows.map(([load, ordinal, language, main, score]) => ({
      row: this.places.rowOf(load, ordinal),
      score,
      language,
      main,
    }));
    const ranked =
      wanted > depth
        ? leading(
            leading(matching, depth, ({ main }) => main),
            limit,
            ({ score }) => score,
          )
        : matching;
    return { ranked, matching };
  }
}

/** The rows of largest numbers, `limit` of them and those that have the same number as the last; in their order. */
function leading<Row>(rows: readonly Row[], limit: number, numberOf: (row: Row) => number): readonly Row[] {
  if (rows.length <= limit) return rows;
  const least = rows.map(numberOf).sort((a, b) => b - a)[limit - 1]!;
  return rows.filter((row) => numberOf(row) >= least);
}

/** An entry that stands for a term; the server has its postings. */
function entryOf(documents: readonly number[]): TermEntry {
  return {
    documents: documents.reduce((sum, count) => sum + count, 0),
    maxFrequency: 1,
    minLength: 0,
    postings: NOWHERE,
    positions: NOWHERE,
    languages: [],
  };
}
