import type { QueryTerm } from "../analysis/query-terms.js";
import type { TermKind } from "../analysis/terms.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { CandidateRows } from "../document.js";
import { CorpusStatistics, type PlacedSegment } from "./corpus-statistics.js";
import { READ_AT_ONCE } from "./posting-list.js";
import { kthLargest } from "./select.js";
import type { TermEntry } from "./term-dictionary.js";

/** Rows, best first, with their scores. */
export interface ScoredRows {
  readonly rows: number[];
  readonly scores: number[];
}

/** How much a term of each kind counts in a query: what says again what others say counts less. */
const WEIGHT: Partial<Record<TermKind, number>> = SEARCH_DEFAULTS.keyword.kindWeights;
/** Rows that affixes are looked up for. */
const { refined } = SEARCH_DEFAULTS.keyword;
/** Lists shorter than this are not worth a threshold. */
const PRUNE_FROM = 4096;
/** Bounds are sums in another order than the scores: a little above covers the rounding. */
const ROUNDING = 1 + 1e-9;

/** A query term in an index: its postings in each segment, and what a document gains by it. */
interface Group {
  readonly order: string;
  readonly weight: number;
  readonly bound: number;
  readonly documents: number;
  /** Whether it only refines the order of the rows that the other terms found. */
  readonly refines: boolean;
  /** By segment: the entries of the alternatives that occur there. */
  readonly entries: readonly (readonly TermEntry[])[];
}

/**
 * Ranks rows by BM25 (Robertson and Zaragoza 2009): a row scores Σ idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length /
 * average length)) over the query's terms. Term by term, the rare ones first; once the best rows cannot be overtaken by
 * rows that hold only the terms still to come, only those are looked up (Turtle and Flood's MaxScore). Sums run in one
 * order whatever is pruned, so the scores are those of full evaluation to the last bit. Affixes, of which there are many and
 * each says little, are added only to the rows that are best without them; where fewer rows than asked for hold any other
 * term, the rows that hold affixes follow.
 */
export class Bm25 {
  readonly statistics: CorpusStatistics;
  private readonly scores: Float64Array;
  /** Postings of the term at hand, as many as are read at once. */
  private readonly rows = new Int32Array(READ_AT_ONCE);
  private readonly frequencies = new Int32Array(READ_AT_ONCE);
  /** Frequency by row while postings are put together, zeros else; and the rows that have one. */
  private readonly sums: Int32Array;
  private readonly merged: Int32Array;
  private readonly touched: Int32Array;
  private readonly selection: Float64Array;

  constructor(
    private readonly segments: readonly PlacedSegment[],
    live?: CandidateRows,
  ) {
    this.statistics = new CorpusStatistics(segments, live);
    const rows = this.statistics.norms.length;
    this.scores = new Float64Array(rows);
    this.sums = new Int32Array(rows);
    this.merged = new Int32Array(rows);
    this.touched = new Int32Array(rows);
    this.selection = new Float64Array(rows);
  }

  /**
   * The best rows among the candidates that hold any of the terms, at most `limit`; equal scores in the order of
   * `compareRows`.
   */
  rank(
    terms: readonly QueryTerm[],
    candidates: CandidateRows,
    limit: number,
    compareRows: (a: number, b: number) => number,
  ): ScoredRows {
    const all = this.#groups(terms);
    const groups = all.filter(({ refines }) => !refines);
    const refining = all.filter(({ refines }) => refines);
    const depth = refining.length === 0 ? limit : Math.max(limit, refined);
    const remaining = new Float64Array(groups.length + 1);
    for (let i = groups.length - 1; i >= 0; i -= 1) remaining[i] = remaining[i + 1]! + groups[i]!.bound;
    let count = 0;
    let next = 0;
    for (; next < groups.length; next += 1) {
      const { documents } = groups[next]!;
      if (documents >= PRUNE_FROM && documents * 2 >= count && count >= depth) {
        const floor = this.#floor(count, depth);
        if (remaining[next]! * ROUNDING < floor) {
          count = this.#keep(count, floor - remaining[next]! * ROUNDING);
          break;
        }
      }
      count = this.#accumulate(groups[next]!, candidates, count);
    }
    let rows = this.touched.subarray(0, count);
    if (next < groups.length) rows.sort();
    for (; next < groups.length; next += 1) {
      this.#lookUp(groups[next]!, rows);
      if (count < depth * 2 || next + 1 === groups.length) continue;
      count = this.#keep(count, this.#floor(count, depth) - remaining[next + 1]! * ROUNDING);
      rows = this.touched.subarray(0, count);
    }
    if (count < limit) {
      for (const group of refining) count = this.#accumulate(group, candidates, count);
      rows = this.touched.subarray(0, count);
    } else if (refining.length > 0) {
      if (count > depth) rows = this.touched.subarray(0, this.#keep(count, this.#floor(count, depth)));
      rows.sort();
      for (const group of refining) this.#lookUp(group, rows);
    }
    const best = this.#best(rows, limit, compareRows);
    for (const row of rows) this.scores[row] = 0;
    return best;
  }

  #groups(terms: readonly QueryTerm[]): Group[] {
    const weights = new Map<string, { term: QueryTerm; weight: number }>();
    for (const term of terms) {
      const key = term.alternatives.join("\n");
      const known = weights.get(key);
      weights.set(key, { term, weight: (known?.weight ?? 0) + (WEIGHT[term.kind] ?? 1) });
    }
    const groups: Group[] = [];
    for (const [order, { term, weight }] of weights) {
      const group = this.#group(order, term, weight);
      if (group !== undefined) groups.push(group);
    }
    return groups.sort((a, b) => b.weight - a.weight || (a.order < b.order ? -1 : 1));
  }

  #group(order: string, { alternatives, kind }: QueryTerm, weight: number): Group | undefined {
    const known = alternatives.map((term) => this.statistics.frequencies(term));
    const merged = new Map<string, number>();
    for (const frequencies of known) {
      for (const [language, count] of frequencies) {
        merged.set(language, Math.max(count, merged.get(language) ?? 0));
      }
    }
    if (merged.size === 0) return undefined;
    const found = alternatives.filter((_, i) => known[i]!.size > 0);
    const entries = this.segments.map(({ keyword }) =>
      found.map((term) => keyword.find(term)).filter((entry) => entry !== undefined),
    );
    const all = entries.flat();
    const gain = weight * this.statistics.idf(merged);
    const maxFrequency = Math.max(
      ...entries.map((list) => list.reduce((sum, entry) => sum + entry.maxFrequency, 0)),
    );
    const bound = gain * this.statistics.bound(maxFrequency, Math.min(...all.map((e) => e.minLength)));
    const documents = all.reduce((sum, e) => sum + e.documents, 0);
    return { order, weight: gain, bound, documents, refines: kind === "affix", entries };
  }

  /** Adds what every document gains by a group; returns how many rows are touched now. */
  #accumulate(group: Group, candidates: CandidateRows, touchedBefore: number): number {
    const bits = candidates.count === candidates.size ? undefined : candidates.bits;
    let count = touchedBefore;
    this.segments.forEach(({ first, keyword }, s) => {
      const entries = group.entries[s]!;
      if (entries.length > 1) count = this.#addMerged(group, this.#merge(s, entries), bits, count);
      if (entries.length !== 1) return;
      const postings = keyword.postings(entries[0]!, first);
      while (true) {
        const read = postings.read(this.rows, this.frequencies);
        if (read === 0) break;
        count = this.#add(group, read, bits, count);
      }
    });
    return count;
  }

  /** Adds a group's gain to the rows at hand that may answer. */
  #add(group: Group, read: number, bits: Uint32Array | undefined, touchedBefore: number): number {
    const { scores, touched, rows, frequencies } = this;
    const { norms } = this.statistics;
    const gain = group.weight * (SEARCH_DEFAULTS.keyword.k1 + 1);
    let count = touchedBefore;
    for (let i = 0; i < read; i += 1) {
      const row = rows[i]!;
      if (bits !== undefined && ((bits[row >>> 5]! >>> (row & 31)) & 1) === 0) continue;
      const score = scores[row]!;
      if (score === 0) touched[count++] = row;
      const frequency = frequencies[i]!;
      scores[row] = score + (gain * frequency) / (frequency + norms[row]!);
    }
    return count;
  }

  /** Puts the postings of several terms together as those of one, in no promised order; returns how many rows there are. */
  #merge(s: number, entries: readonly TermEntry[]): number {
    const { rows, frequencies, sums, merged } = this;
    const { first, keyword } = this.segments[s]!;
    let count = 0;
    for (const entry of entries) {
      const postings = keyword.postings(entry, first);
      for (let read = postings.read(rows, frequencies); read > 0; read = postings.read(rows, frequencies)) {
        for (let i = 0; i < read; i += 1) {
          const row = rows[i]!;
          const sum = sums[row]!;
          if (sum === 0) merged[count++] = row;
          sums[row] = sum + frequencies[i]!;
        }
      }
    }
    return count;
  }

  /** Adds a group's gain to the merged rows that may answer. */
  #addMerged(group: Group, merged: number, bits: Uint32Array | undefined, touchedBefore: number): number {
    const { rows, frequencies, sums } = this;
    let count = touchedBefore;
    for (let at = 0; at < merged; at += READ_AT_ONCE) {
      const part = Math.min(READ_AT_ONCE, merged - at);
      for (let i = 0; i < part; i += 1) {
        const row = this.merged[at + i]!;
        rows[i] = row;
        frequencies[i] = sums[row]!;
        sums[row] = 0;
      }
      count = this.#add(group, part, bits, count);
    }
    return count;
  }

  /** Adds what the given rows, ascending, gain by a group. */
  #lookUp(group: Group, wanted: Int32Array): void {
    const { scores, sums } = this;
    const { norms } = this.statistics;
    const gain = group.weight * (SEARCH_DEFAULTS.keyword.k1 + 1);
    this.segments.forEach(({ first, keyword }, s) => {
      const entries = group.entries[s]!;
      if (entries.length === 0) return;
      const end = lowerBound(wanted, first + keyword.manifest.documentCount);
      const within = wanted.subarray(lowerBound(wanted, first), end);
      if (within.length === 0) return;
      for (const entry of entries) keyword.postings(entry, first).lookUp(within, sums);
      for (const row of within) {
        const frequency = sums[row]!;
        if (frequency === 0) continue;
        scores[row]! += (gain * frequency) / (frequency + norms[row]!);
        sums[row] = 0;
      }
    });
  }

  /** The `limit`-th best score so far. */
  #floor(count: number, limit: number): number {
    for (let i = 0; i < count; i += 1) this.selection[i] = this.scores[this.touched[i]!]!;
    return kthLargest(this.selection, count, limit);
  }

  /** Keeps the touched rows that score at least `floor`; returns how many. */
  #keep(count: number, floor: number): number {
    let kept = 0;
    for (let i = 0; i < count; i += 1) {
      const row = this.touched[i]!;
      if (this.scores[row]! >= floor) this.touched[kept++] = row;
      else this.scores[row] = 0;
    }
    return kept;
  }

  #best(rows: Int32Array, limit: number, compareRows: (a: number, b: number) => number): ScoredRows {
    const { scores } = this;
    const floor = rows.length > limit ? this.#floor(rows.length, limit) : 0;
    const best = [...rows.filter((row) => scores[row]! >= floor)]
      .sort((x, y) => scores[y]! - scores[x]! || compareRows(x, y))
      .slice(0, limit);
    return { rows: best, scores: best.map((row) => scores[row]!) };
  }
}

function lowerBound(rows: Int32Array, value: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
