import type { QueryTerm } from "../../analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import type { CandidateRows } from "../../document.js";
import { lowerBound } from "../../numbers/lower-bound.js";
import { sortedRows } from "../../sorted-rows.js";
import type { PlacedSegment } from "../placed-segment.js";
import { OpenLists } from "./open-lists.js";
import { type Group, type QueryGroups, queryGroups } from "./query-groups.js";
import { ScoreAccumulator } from "./score-accumulator.js";
import { StatisticsOnDemand } from "./statistics-on-demand.js";
import { WINDOW, WindowScores } from "./window-scores.js";

/** Rows with their scores. */
export interface ScoredRows {
  readonly rows: number[];
  readonly scores: number[];
}

/** Yields the event loop: `wait` is awaited after this many postings. An error it throws ends the ranking. */
export interface Pause {
  readonly postings: number;
  readonly wait: () => Promise<void>;
}

/** Number of rows that affixes rescore. */
const { rescored } = SEARCH_DEFAULTS.keyword;
/** Bounds add up in another order than scores; this margin covers the rounding. */
const ROUNDING = 1 + 1e-9;
/** Postings per requested row for the first estimate of the threshold score. */
const SEED_POSTINGS = 4;
/** Rows per requested row that the estimate looks up. */
const SEED_ROWS = 2;
/** Postings that can be added up in the time of one look-up. */
const LOOK_UP_COST = 2;

/**
 * Ranks rows by BM25 (Robertson and Zaragoza 2009): the score of a row is Σ idf · tf · (k1 + 1) / (tf + k1 · (1
 * − b + b · length / typical length)) over the query's terms.
 *
 * Evaluation is pruned by MaxScore (Turtle and Flood): the rarest terms give a threshold that enough rows
 * reach. Rows that hold only terms whose bounds add up to less are never read; those terms are looked up for
 * the remaining rows only. Sums run in a fixed order, so the scores equal those of full evaluation to the last
 * bit.
 *
 * Affixes, which are many and say little, only rescore the top rows, as do first syllables and joints of Korean words. If other terms
 * match fewer rows than requested, affixes retrieve rows too.
 */
export class Bm25 {
  private readonly statistics: StatisticsOnDemand;
  private readonly window = new WindowScores();
  private readonly accumulator = new ScoreAccumulator();
  private readonly lists: OpenLists;
  private sums = new Int32Array(4096);
  /** Settles when the previous query has been ranked; queries share the buffers above. */
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private postings = 0;

  constructor(
    private readonly segments: readonly PlacedSegment[],
    live?: CandidateRows,
  ) {
    this.statistics = new StatisticsOnDemand(segments, live);
    this.lists = new OpenLists(segments);
  }

  /** Measures the lengths of all documents, which the first query needs, while the event loop turns. */
  measure(): Promise<void> {
    return this.statistics.measure();
  }

  /** Finds the terms of a query in the index. */
  query(terms: readonly QueryTerm[]): QueryGroups {
    return queryGroups(terms, this.segments, this.statistics.all);
  }

  /**
   * Returns the top `limit` candidates that hold any of the query's terms; ties in the order of `compareRows`. Queries
   * are ranked one after another.
   */
  async rank(
    query: QueryGroups,
    candidates: CandidateRows,
    limit: number,
    compareRows: (a: number, b: number) => number,
    pause?: Pause,
  ): Promise<ScoredRows> {
    const { rows, scores } = await this.top(query, candidates, limit, compareRows, pause);
    return sortedRows(rows, scores, compareRows);
  }

  /** As {@link Bm25.rank}, in unspecified order. */
  top(
    query: QueryGroups,
    candidates: CandidateRows,
    limit: number,
    compareRows: (a: number, b: number) => number,
    pause?: Pause,
  ): Promise<ScoredRows> {
    const waits = this.waiting > 0;
    this.waiting += 1;
    const ranked = this.last.then(async () => {
      try {
        // Yields between two queries.
        if (waits) await pause?.wait();
        await this.find(query, candidates, limit, pause);
        return this.best(limit, compareRows);
      } finally {
        this.lists.forget();
        this.waiting -= 1;
      }
    });
    // The caller gets a failure; the next query runs anyway.
    this.last = ranked.then(
      () => undefined,
      () => undefined,
    );
    return ranked;
  }

  private async find(
    { groups: all }: QueryGroups,
    candidates: CandidateRows,
    limit: number,
    pause: Pause | undefined,
  ): Promise<void> {
    let groups = all.filter(({ rescores }) => !rescores);
    let rescoring = all.filter(({ rescores }) => rescores);
    const filling = rescoring.filter(({ fills }) => fills);
    const depth = rescoring.length === 0 ? limit : Math.max(limit, rescored);
    const { accumulator } = this;
    if (isSmall(candidates, groups)) await this.lookUpAll(groups, candidates, pause);
    else await this.search(groups, candidates, depth, pause);
    if (accumulator.count < limit && filling.length > 0) {
      groups = [...groups, ...filling];
      rescoring = rescoring.filter(({ fills }) => !fills);
      if (isSmall(candidates, groups)) await this.lookUpAll(groups, candidates, pause);
      else await this.addUp(groups, candidates, 0, pause);
    }
    if (rescoring.length === 0) return;
    if (accumulator.count > depth) accumulator.keep(accumulator.kthBest(depth));
    await this.lookUpEach(rescoring, pause);
  }

  /** Looks all candidates up in every term's postings; for few candidates. */
  private async lookUpAll(
    groups: readonly Group[],
    candidates: CandidateRows,
    pause: Pause | undefined,
  ): Promise<void> {
    this.accumulator.begin(candidates.rows());
    await this.lookUpEach(groups, pause);
    this.accumulator.keep(Number.MIN_VALUE);
  }

  /** Finds the candidates that may be in the top `depth`, with their scores. */
  private async search(
    groups: readonly Group[],
    candidates: CandidateRows,
    depth: number,
    pause: Pause | undefined,
  ): Promise<void> {
    const { accumulator } = this;
    const remaining = new Float64Array(groups.length + 1);
    for (let i = groups.length - 1; i >= 0; i -= 1) {
      remaining[i] = remaining[i + 1]! + groups[i]!.bound * ROUNDING;
    }
    let least = await this.seed(groups, candidates, depth, pause);
    if (least === undefined) return;
    let next = 0;
    while (remaining[next]! >= least) next += 1;
    await this.addUp(groups.slice(0, next), candidates, least - remaining[next]!, pause);
    for (; next < groups.length; next += 1) {
      this.lookUp(groups[next]!);
      if (accumulator.count > depth * 2) least = Math.max(least, accumulator.kthBest(depth));
      accumulator.keep(least - remaining[next + 1]!);
      if (this.isLong(pause)) await this.rest(pause);
    }
  }

  /**
   * Returns a threshold score that at least `depth` rows reach, from the rows of the rarest terms. Returns
   * undefined if all terms were needed for that many rows; the accumulator then holds every matching row.
   */
  private async seed(
    groups: readonly Group[],
    candidates: CandidateRows,
    depth: number,
    pause: Pause | undefined,
  ): Promise<number | undefined> {
    const { accumulator } = this;
    const share = candidates.count / candidates.size;
    let wanted = (depth * SEED_POSTINGS) / share;
    let next = 0;
    for (let postings = 0; ; wanted *= 2) {
      while (next < groups.length && postings < wanted) postings += groups[next++]!.documents;
      await this.addUp(groups.slice(0, next), candidates, 0, pause);
      if (next === groups.length) return undefined;
      if (accumulator.count >= depth) break;
    }
    if (accumulator.count > depth * SEED_ROWS) accumulator.keep(accumulator.kthBest(depth * SEED_ROWS));
    await this.lookUpEach(groups.slice(next), pause);
    return accumulator.kthBest(depth);
  }

  /** Accumulates the candidates that score at least `floor` from these groups together. */
  private async addUp(
    groups: readonly Group[],
    candidates: CandidateRows,
    floor: number,
    pause: Pause | undefined,
  ): Promise<void> {
    const bits = candidates.count === candidates.size ? undefined : candidates.bits;
    const { accumulator, window } = this;
    const { norms } = this.statistics.all;
    accumulator.clear();
    for (const [s, { first, keyword }] of this.segments.entries()) {
      const rows = keyword.manifest.documentCount;
      const opened = groups
        .map(({ entries, gain }) => ({ gain, lists: entries[s]!.map((entry) => this.lists.open(s, entry)) }))
        .filter(({ lists }) => lists.length > 0);
      for (const { lists } of opened) for (const list of lists) list.rewind();
      for (let start = 0; start < rows && opened.length > 0; start += WINDOW) {
        if (this.isLong(pause)) await this.rest(pause);
        const place = { start, end: Math.min(rows, start + WINDOW), first, norms };
        for (const { lists, gain } of opened) this.postings += window.add(lists, gain, place);
        window.collect(accumulator, first + start, floor, bits);
      }
    }
  }

  private async lookUpEach(groups: readonly Group[], pause: Pause | undefined): Promise<void> {
    for (const group of groups) {
      this.lookUp(group);
      if (this.isLong(pause)) await this.rest(pause);
    }
  }

  /** Adds a group's scores to the accumulated rows. */
  private lookUp(group: Group): void {
    const { rows, scores } = this.accumulator;
    const { norms } = this.statistics.all;
    const { gain } = group;
    this.postings += Math.min(group.documents, rows.length * LOOK_UP_COST);
    if (this.sums.length < rows.length) this.sums = new Int32Array(rows.length * 2);
    this.segments.forEach(({ first, keyword }, s) => {
      const entries = group.entries[s]!;
      const from = lowerBound(rows, first);
      const to = lowerBound(rows, first + keyword.manifest.documentCount);
      if (entries.length === 0 || from === to) return;
      const wanted = first === 0 ? rows.subarray(from, to) : rows.slice(from, to).map((row) => row - first);
      const sums = this.sums.subarray(0, to - from);
      for (const entry of entries) this.lists.open(s, entry).lookUp(wanted, sums);
      for (let i = 0; i < sums.length; i += 1) {
        const frequency = sums[i]!;
        if (frequency === 0) continue;
        scores[from + i]! += (gain * frequency) / (frequency + norms[rows[from + i]!]!);
        sums[i] = 0;
      }
    });
  }

  /** Whether this turn of the event loop has scored enough. */
  private isLong(pause: Pause | undefined): pause is Pause {
    return pause !== undefined && this.postings > pause.postings;
  }

  private rest(pause: Pause): Promise<void> {
    this.postings = 0;
    return pause.wait();
  }

  private best(limit: number, compareRows: (a: number, b: number) => number): ScoredRows {
    const { accumulator } = this;
    if (accumulator.count > limit) accumulator.keep(accumulator.kthBest(limit));
    const { rows, scores } = accumulator;
    // Only ties at the end need an order.
    if (accumulator.count > limit) return sortedRows(rows, scores, compareRows, limit);
    return { rows: Array.from(rows), scores: Array.from(scores) };
  }
}

/** Whether looking the candidates up takes less time than adding up all postings of the groups. */
function isSmall(candidates: CandidateRows, groups: readonly Group[]): boolean {
  const postings = groups.reduce((sum, { documents }) => sum + documents, 0);
  return candidates.count * groups.length * LOOK_UP_COST < postings;
}
