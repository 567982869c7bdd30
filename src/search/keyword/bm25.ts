import type { QueryTerm } from "../analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import type { CandidateRows } from "../document.js";
import { lowerBound } from "../numbers/lower-bound.js";
import { CorpusStatistics, type PlacedSegment } from "./corpus-statistics.js";
import { PostingArena } from "./posting-arena.js";
import type { PostingList } from "./posting-list.js";
import { type Group, queryGroups } from "./query-groups.js";
import { ScoreAccumulator } from "./score-accumulator.js";
import type { TermEntry } from "./term-dictionary.js";
import { WINDOW, WindowScores } from "./window-scores.js";

/** Rows, best first, with their scores. */
export interface ScoredRows {
  readonly rows: number[];
  readonly scores: number[];
}

/** Lets others have the thread: after so many postings, `wait` is awaited. What it throws ends the ranking. */
export interface Pause {
  readonly postings: number;
  readonly wait: () => Promise<void>;
}

/** Rows that affixes are looked up for. */
const { rescored } = SEARCH_DEFAULTS.keyword;
/** Bounds are sums in another order than the scores: a little above covers the rounding. */
const ROUNDING = 1 + 1e-9;
/** Postings for each of the best rows, from which a first guess at the score of the last of them is made. */
const SEED_POSTINGS = 4;
/** Rows for each of the best ones that the guess looks up. */
const SEED_ROWS = 2;
/** Postings that can be added up in the time that one row is looked up in a list. */
const LOOK_UP_COST = 2;

/**
 * Ranks rows by BM25 (Robertson and Zaragoza 2009): a row scores Σ idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length /
 * average length)) over the query's terms. The rarest terms give a score that as many rows as asked for reach; rows that hold
 * only such terms as cannot reach it together are never looked at, and those terms are looked up for the other rows alone, ever
 * fewer (Turtle and Flood's MaxScore). Sums run in one order whatever is pruned, so the scores are those of full evaluation to
 * the last bit. Affixes, of which there are many and each says little, are added only to the rows that are best without them;
 * where fewer rows than asked for hold any other term, the rows that hold affixes follow.
 */
export class Bm25 {
  readonly statistics: CorpusStatistics;
  private readonly window = new WindowScores();
  private readonly found = new ScoreAccumulator();
  private readonly arena = new PostingArena();
  /** Postings that the query at hand has read. */
  private readonly lists = new Map<TermEntry, PostingList>();
  private sums = new Int32Array(4096);
  /** Settles when the query before has been ranked: they share the arrays above. */
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private postings = 0;

  constructor(
    private readonly segments: readonly PlacedSegment[],
    live?: CandidateRows,
  ) {
    this.statistics = new CorpusStatistics(segments, live);
  }

  /**
   * The best rows among the candidates that hold any of the terms, at most `limit`; equal scores in the order of
   * `compareRows`. Queries are ranked one after another.
   */
  rank(
    terms: readonly QueryTerm[],
    candidates: CandidateRows,
    limit: number,
    compareRows: (a: number, b: number) => number,
    pause?: Pause,
  ): Promise<ScoredRows> {
    const waits = this.waiting > 0;
    this.waiting += 1;
    const ranked = this.last.then(async () => {
      try {
        // Between two queries others have the thread too.
        if (waits) await pause?.wait();
        await this.find(terms, candidates, limit, pause);
        return this.best(limit, compareRows);
      } finally {
        this.lists.clear();
        this.arena.reset();
        this.waiting -= 1;
      }
    });
    // Whoever asked is told of a failure; the next query goes on all the same.
    this.last = ranked.then(
      () => undefined,
      () => undefined,
    );
    return ranked;
  }

  private async find(
    terms: readonly QueryTerm[],
    candidates: CandidateRows,
    limit: number,
    pause: Pause | undefined,
  ): Promise<void> {
    const all = queryGroups(terms, this.segments, this.statistics);
    const groups = all.filter(({ rescores }) => !rescores);
    const rescoring = all.filter(({ rescores }) => rescores);
    const depth = rescoring.length === 0 ? limit : Math.max(limit, rescored);
    const postings = groups.reduce((sum, { documents }) => sum + documents, 0);
    const { found } = this;
    if (candidates.count * groups.length * LOOK_UP_COST < postings) this.lookUpAll(groups, candidates);
    else await this.search(groups, candidates, depth, pause);
    if (found.count < limit && rescoring.length > 0) {
      await this.addUp([...groups, ...rescoring], candidates, 0, pause);
    } else if (rescoring.length > 0) {
      if (found.count > depth) found.keep(found.kthBest(depth));
      for (const group of rescoring) this.lookUp(group);
    }
  }

  /** Finds the candidates that hold any of the terms: of few candidates. */
  private lookUpAll(groups: readonly Group[], candidates: CandidateRows): void {
    this.found.begin(candidates.rows());
    for (const group of groups) this.lookUp(group);
    this.found.keep(Number.MIN_VALUE);
  }

  /** Finds the candidates that may be among the `depth` best ones, with their scores. */
  private async search(
    groups: readonly Group[],
    candidates: CandidateRows,
    depth: number,
    pause: Pause | undefined,
  ): Promise<void> {
    const { found } = this;
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
      if (found.count > depth * 2) least = Math.max(least, found.kthBest(depth));
      found.keep(least - remaining[next + 1]!);
    }
  }

  /**
   * A score that `depth` rows reach at least, from those that hold the rarest terms; undefined where all terms were needed for
   * so many, and the rows that hold any are found.
   */
  private async seed(
    groups: readonly Group[],
    candidates: CandidateRows,
    depth: number,
    pause: Pause | undefined,
  ): Promise<number | undefined> {
    const { found } = this;
    const share = candidates.count / candidates.size;
    let wanted = (depth * SEED_POSTINGS) / share;
    let next = 0;
    for (let postings = 0; ; wanted *= 2) {
      while (next < groups.length && postings < wanted) postings += groups[next++]!.documents;
      await this.addUp(groups.slice(0, next), candidates, 0, pause);
      if (next === groups.length) return undefined;
      if (found.count >= depth) break;
    }
    if (found.count > depth * SEED_ROWS) found.keep(found.kthBest(depth * SEED_ROWS));
    for (; next < groups.length; next += 1) this.lookUp(groups[next]!);
    return found.kthBest(depth);
  }

  /** Finds the candidates that gain `floor` at least by all of the groups together, and what they gain. */
  private async addUp(
    groups: readonly Group[],
    candidates: CandidateRows,
    floor: number,
    pause: Pause | undefined,
  ): Promise<void> {
    const bits = candidates.count === candidates.size ? undefined : candidates.bits;
    const { found, window } = this;
    const { norms } = this.statistics;
    found.clear();
    for (const [s, { first, keyword }] of this.segments.entries()) {
      const rows = keyword.manifest.documentCount;
      const opened = groups
        .map(({ entries, gain }) => ({ gain, lists: entries[s]!.map((entry) => this.open(s, entry)) }))
        .filter(({ lists }) => lists.length > 0);
      for (const { lists } of opened) for (const list of lists) list.rewind();
      for (let start = 0; start < rows && opened.length > 0; start += WINDOW) {
        if (pause !== undefined && this.postings > pause.postings) {
          this.postings = 0;
          await pause.wait();
        }
        const place = { start, end: Math.min(rows, start + WINDOW), first, norms };
        for (const { lists, gain } of opened) this.postings += window.add(lists, gain, place);
        window.collect(found, first + start, floor, bits);
      }
    }
  }

  /** Adds what the rows found gain by a group. */
  private lookUp(group: Group): void {
    const { rows, scores } = this.found;
    const { norms } = this.statistics;
    const { gain } = group;
    if (this.sums.length < rows.length) this.sums = new Int32Array(rows.length * 2);
    this.segments.forEach(({ first, keyword }, s) => {
      const entries = group.entries[s]!;
      const from = lowerBound(rows, first);
      const to = lowerBound(rows, first + keyword.manifest.documentCount);
      if (entries.length === 0 || from === to) return;
      const wanted = first === 0 ? rows.subarray(from, to) : rows.slice(from, to).map((row) => row - first);
      const sums = this.sums.subarray(0, to - from);
      for (const entry of entries) this.open(s, entry).lookUp(wanted, sums);
      for (let i = 0; i < sums.length; i += 1) {
        const frequency = sums[i]!;
        if (frequency === 0) continue;
        scores[from + i]! += (gain * frequency) / (frequency + norms[rows[from + i]!]!);
        sums[i] = 0;
      }
    });
  }

  private open(s: number, entry: TermEntry): PostingList {
    let list = this.lists.get(entry);
    if (list === undefined) {
      list = this.segments[s]!.keyword.postings(entry, this.arena.take);
      this.lists.set(entry, list);
    }
    return list;
  }

  private best(limit: number, compareRows: (a: number, b: number) => number): ScoredRows {
    const { found } = this;
    if (found.count > limit) found.keep(found.kthBest(limit));
    const { rows, scores } = found;
    const order = Array.from(rows.keys())
      .sort((x, y) => scores[y]! - scores[x]! || compareRows(rows[x]!, rows[y]!))
      .slice(0, limit);
    return { rows: order.map((i) => rows[i]!), scores: order.map((i) => scores[i]!) };
  }
}
