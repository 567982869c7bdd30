import type { QueryTerm } from "../analysis/query-terms.js";
import type { TermKind } from "../analysis/terms.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { CandidateRows } from "../document.js";
import { CorpusStatistics, type PlacedSegment } from "./corpus-statistics.js";
import { decodePostings, PostingCursor } from "./posting-cursor.js";
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
/** Postings for each row that is looked up, from which jumping through them is faster than reading them all. */
const SPARSE = 200;
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
  /** Postings of the term at hand. */
  private readonly rows: Int32Array;
  private readonly frequencies: Int32Array;
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
    this.rows = new Int32Array(rows);
    this.frequencies = new Int32Array(rows);
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
    for (; next < groups.length; next += 1) this.#lookUp(groups[next]!, rows);
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
    this.segments.forEach((segment, s) => {
      const entries = group.entries[s]!;
      if (entries.length === 0) return;
      const documents =
        entries.length === 1 ? this.#decode(segment, entries[0]!) : this.#merge(segment, entries);
      count = this.#add(group, documents, bits, count);
    });
    return count;
  }

  /** Adds a group's gain to the decoded rows that may answer. */
  #add(group: Group, documents: number, bits: Uint32Array | undefined, touchedBefore: number): number {
    const { scores, touched, rows, frequencies } = this;
    const { norms } = this.statistics;
    const gain = group.weight * (SEARCH_DEFAULTS.keyword.k1 + 1);
    let count = touchedBefore;
    for (let i = 0; i < documents; i += 1) {
      const row = rows[i]!;
      if (bits !== undefined && ((bits[row >>> 5]! >>> (row & 31)) & 1) === 0) continue;
      const score = scores[row]!;
      if (score === 0) touched[count++] = row;
      const frequency = frequencies[i]!;
      scores[row] = score + (gain * frequency) / (frequency + norms[row]!);
    }
    return count;
  }

  /** Decodes the postings of a term; returns how many there are. */
  #decode({ first, keyword }: PlacedSegment, entry: TermEntry): number {
    decodePostings(keyword.postings(entry), entry.documents, first, this.rows, this.frequencies);
    return entry.documents;
  }

  /** Decodes the postings of several terms as those of one, in no promised order; returns how many rows there are. */
  #merge(segment: PlacedSegment, entries: readonly TermEntry[]): number {
    const { rows, frequencies, sums, merged } = this;
    let count = 0;
    for (const entry of entries) {
      const documents = this.#decode(segment, entry);
      for (let i = 0; i < documents; i += 1) {
        const row = rows[i]!;
        const sum = sums[row]!;
        if (sum === 0) merged[count++] = row;
        sums[row] = sum + frequencies[i]!;
      }
    }
    for (let i = 0; i < count; i += 1) {
      const row = merged[i]!;
      rows[i] = row;
      frequencies[i] = sums[row]!;
      sums[row] = 0;
    }
    return count;
  }

  /** Adds what the given rows, ascending, gain by a group. */
  #lookUp(group: Group, wanted: Int32Array): void {
    const { scores, rows, frequencies, sums } = this;
    const { norms } = this.statistics;
    const gain = group.weight * (SEARCH_DEFAULTS.keyword.k1 + 1);
    this.segments.forEach((segment, s) => {
      const entries = group.entries[s]!;
      for (const entry of entries) {
        if (entry.documents > wanted.length * SPARSE) {
          this.#seek(segment, entry, wanted);
          continue;
        }
        const documents = this.#decode(segment, entry);
        let at = 0;
        for (const row of wanted) {
          while (at < documents && rows[at]! < row) at += 1;
          if (at === documents) break;
          if (rows[at] === row) sums[row]! += frequencies[at]!;
        }
      }
      if (entries.length === 0) return;
      for (const row of wanted) {
        const frequency = sums[row]!;
        if (frequency === 0) continue;
        scores[row]! += (gain * frequency) / (frequency + norms[row]!);
        sums[row] = 0;
      }
    });
  }

  /** Finds the frequencies of a term in the given rows by jumps through its postings: for few rows and many postings. */
  #seek({ first, keyword }: PlacedSegment, entry: TermEntry, wanted: Int32Array): void {
    const cursor = new PostingCursor(keyword.postings(entry), entry.documents);
    const end = first + keyword.manifest.documentCount;
    for (const row of wanted) {
      if (row < first) continue;
      if (row >= end || !cursor.advance(row - first)) break;
      if (cursor.row === row - first) this.sums[row]! += cursor.frequency;
    }
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
