import { RowSet } from "../contract/lake/row-set.js";
import type { QueryTerms } from "./analysis/query-terms.js";
import { combine } from "./combine-rankings.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { CandidateRows } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import type { EventLoopQueue } from "./event-loop-queue.js";
import { Bm25, type Pause } from "./keyword/ranking/bm25.js";
import { rowsWithPhrases } from "./keyword/ranking/phrase.js";
import type { QueryGroups } from "./keyword/ranking/query-groups.js";
import { type QueryEmbedders, queryVector } from "./query-vector.js";
import {
  type NearestRows,
  NO_PHRASE,
  notAtHand,
  type Ranking,
  type RankOptions,
  type SearchIndex,
} from "./search-index.js";
import type { OpenSegment, OpenSegments } from "./segment/open-segments.js";
import { readVectorRows } from "./segment/read-vector-rows.js";
import type { VectorPlace } from "./segment/row-vectors.js";
import { hintsWithin, type SearchedRows } from "./segment/searched-rows.js";
import { type RankedRows, sortedRows } from "./sorted-rows.js";
import { type AmongRows, countOf, rowsWithin } from "./vector/among-rows.js";
import { ScoreExchange } from "./vector/scores/score-exchange.js";

const { fusion } = SEARCH_DEFAULTS;
const NOTHING: RankedRows = { rows: [], scores: [] };

/** Parts of a {@link SegmentedIndex}. */
export interface SegmentedIndexOptions {
  /** The embedder of the ranking set, if available. */
  readonly embedder?: Embedder;
  /** That embedder where it is the default one. */
  readonly fitted?: QueryEmbedders["fitted"];
  /** Id of the embedder of the preferred set. */
  readonly madeBy: string;
  /** What to call that embedder where it is not at hand, so that another set ranks, or none. */
  readonly absent?: string;
  readonly analyze: (query: string) => QueryTerms;
  /** Resolves when queries can be analysed; default: at once. A query rejects where it did. */
  readonly stemming?: Promise<void>;
  readonly exact: boolean;
  readonly live?: CandidateRows;
  readonly queue: EventLoopQueue;
}

/** A {@link SearchIndex} over open segments, on disk or in memory. */
export class SegmentedIndex implements SearchIndex {
  private readonly bm25: Bm25;
  private readonly segments: readonly OpenSegment[];
  /** The rows of each search among candidates: a lake gives the same ones for the same filter. */
  private readonly within = new WeakMap<CandidateRows, readonly (AmongRows | undefined)[]>();
  /** Rankings that have begun and not ended. */
  private running = 0;

  /** Order of rows with equal scores. One function, which V8 builds into what calls it. */
  private readonly compare = (a: number, b: number): number => {
    const one = this.segmentOf(a);
    const other = this.segmentOf(b);
    return one.ids.compare(a - one.first, other.ids, b - other.first);
  };

  constructor(
    readonly documentCount: number,
    private readonly opened: OpenSegments,
    private readonly options: SegmentedIndexOptions,
  ) {
    this.segments = opened.segments;
    this.bm25 = new Bm25(this.segments, options.live);
  }

  get vectorPlaces(): readonly VectorPlace[] {
    return this.segments.flatMap(({ first, place }) => (place === undefined ? [] : [{ first, ...place }]));
  }

  get embedderId(): string {
    return this.options.madeBy;
  }

  async rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking> {
    this.running += 1;
    try {
      return await this.ranked(query, candidates, options);
    } finally {
      this.running -= 1;
    }
  }

  private async ranked(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking> {
    const { embedder, absent, queue } = this.options;
    const fitted = this.options.fitted !== undefined;
    const { signal } = options;
    await this.options.stemming;
    await this.bm25.measure();
    await queue.next(signal);
    const mode = embedder === undefined ? "keyword" : (options.mode ?? "hybrid");
    const { compare } = this;
    const depth = Math.max(options.limit, fusion.depth);
    const { terms, phrases } = this.options.analyze(query);
    const quoting =
      phrases.length === 0
        ? []
        : await rowsWithPhrases(this.segments, phrases, candidates, this.pause(signal));
    const allowed = quoting.length === 0 ? candidates : RowSet.of(candidates.size, quoting);
    let looked: QueryGroups | undefined;
    const wordsOf = () => {
      looked ??= this.bm25.query(terms);
      return looked;
    };
    // What a long query takes is shared out among turns of the event loop.
    const isLong = terms.length > SEARCH_DEFAULTS.longQuery;
    if (isLong) {
      await queue.next(signal);
      wordsOf();
      await queue.next(signal);
    }
    const vector =
      mode === "keyword"
        ? undefined
        : await queryVector(this.options, { query, terms, words: wordsOf }, signal);
    if (isLong) await queue.next(signal);
    const hinted = vector !== undefined && this.takesHints;
    const needed = ({ known }: QueryGroups) => mode !== "semantic" || hinted || (fitted && !known);
    const byWords = () => this.byWords(wordsOf(), needed, allowed, depth, this.pause(signal, isLong));
    const byVector = (hints?: RankedRows) =>
      vector === undefined ? NOTHING : this.byVector(vector, allowed, { limit: depth, hints, signal });
    // Otherwise started first: a worker thread searches a large set while this thread looks words up and ranks by them.
    const first = hinted ? await byWords() : undefined;
    const [near, { words, matching }] = await Promise.all([
      byVector(first?.matching),
      (first === undefined ? byWords() : Promise.resolve(first)).then((found) => {
        if (vector !== undefined) this.tellLikely(found.matching, options);
        return found;
      }),
    ]);
    // Several replies of the threads may arrive at once.
    await queue.next(signal);
    const found = combine(
      { words, near, matching, mode, fitted },
      options.limit,
      (row) => this.languageOf(row),
      compare,
    );
    const notes = [
      ...(phrases.length > 0 && quoting.length === 0 ? [NO_PHRASE] : []),
      ...(embedder === undefined && options.mode !== "keyword"
        ? [`ranked by keyword alone: the vectors are of ${absent}, which is not at hand`]
        : []),
      ...(embedder !== undefined && mode !== "keyword" && absent !== undefined ? [notAtHand(absent)] : []),
    ];
    return {
      ...found,
      mode,
      embedder: mode === "keyword" ? undefined : embedder?.id,
      note: notes.length === 0 ? undefined : notes.join("; "),
    };
  }

  async embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    await this.options.stemming;
    await this.bm25.measure();
    const { terms } = this.options.analyze(query);
    return queryVector(this.options, { query, terms, words: () => this.bm25.query(terms) }, signal);
  }

  async nearest(
    vector: Float32Array,
    candidates: CandidateRows,
    { query, ...options }: NearestRows,
  ): Promise<number[]> {
    if (query === undefined || !this.takesHints)
      return [...(await this.byVector(vector, candidates, options)).rows];
    await this.options.stemming;
    await this.bm25.measure();
    const { terms } = this.options.analyze(query);
    const words = this.bm25.query(terms);
    const { matching } = await this.byWords(
      words,
      () => true,
      candidates,
      fusion.depth,
      this.pause(options.signal),
    );
    return [...(await this.byVector(vector, candidates, { ...options, hints: matching })).rows];
  }

  /** Tells which rows are best by words, while another thread searches and no other ranking needs this one. */
  private tellLikely({ rows, scores }: RankedRows, { onLikely, limit }: RankOptions): void {
    if (onLikely === undefined || rows.length === 0 || this.running > 1) return;
    if (!this.opened.searches.some(({ search }) => search.isAside)) return;
    onLikely(sortedRows(rows, scores, this.compare, limit).rows);
  }

  /** Whether rows with words of a query help to find those that are near it. */
  private get takesHints(): boolean {
    return this.opened.searches.some(({ search }) => search.takesHints);
  }

  private async byVector(
    vector: Float32Array,
    candidates: CandidateRows,
    options: Omit<NearestRows, "query"> & { readonly hints?: RankedRows },
  ): Promise<RankedRows> {
    const { limit, hints, exact = this.options.exact, signal } = options;
    const within = candidates.count === candidates.size ? undefined : this.rowsWithin(candidates);
    const exchange = exact ? undefined : this.exchangeOf(within);
    const found: number[] = [];
    const scores: number[] = [];
    const searchIn = async (searched: SearchedRows, at: number) => {
      const rows = within?.[at];
      if (rows !== undefined && countOf(rows) === 0) return;
      const near = await searched.search.nearest(vector, limit, {
        exact,
        signal,
        rows,
        hints: hints === undefined ? undefined : hintsWithin(searched, hints.rows),
        exchange: searched.search.exchanges ? exchange : undefined,
      });
      for (const row of near.rows) found.push(searched.first + row);
      for (const score of near.scores) scores.push(score);
    };
    await Promise.all(this.opened.searches.map(searchIn));
    return sortedRows(found, scores, this.compare, limit);
  }

  /** What searches of several sets share. */
  private exchangeOf(within: readonly (AmongRows | undefined)[] | undefined): SharedArrayBuffer | undefined {
    const sets = this.opened.searches.filter(({ search }, at) => {
      const rows = within?.[at];
      return search.exchanges && (rows === undefined || countOf(rows) > 0);
    });
    return sets.length < 2 ? undefined : ScoreExchange.room(sets.length);
  }

  async vectors(rows: readonly number[]): Promise<Float32Array[]> {
    return rows.map((row) => this.vector(row));
  }

  vector(row: number): Float32Array {
    const segment = this.segmentOf(row);
    const local = row - segment.first;
    return segment.downloaded.vector(local) ?? segment.made.read(local);
  }

  vectorsInto(rows: ArrayLike<number>, into: Float32Array): void {
    readVectorRows(rows, into, (row) => this.segmentOf(row));
  }

  close(): Promise<void> {
    return this.opened.close();
  }

  private async byWords(
    words: QueryGroups,
    needed: (words: QueryGroups) => boolean,
    candidates: CandidateRows,
    depth: number,
    pause: Pause,
  ): Promise<{ readonly words: QueryGroups; readonly matching: RankedRows }> {
    if (!needed(words)) return { words, matching: NOTHING };
    return {
      words,
      matching: await this.bm25.top(words, candidates, depth, this.compare, pause),
    };
  }

  private pause(signal: AbortSignal | undefined, isLong = false): Pause {
    const { pausePostings, pausePostingsOfLong } = SEARCH_DEFAULTS.keyword;
    return {
      postings: isLong ? pausePostingsOfLong : pausePostings,
      wait: async () => {
        await this.options.queue.next(signal);
        signal?.throwIfAborted();
      },
    };
  }

  private rowsWithin(candidates: CandidateRows): readonly (AmongRows | undefined)[] {
    const known = this.within.get(candidates);
    if (known !== undefined) return known;
    const made = this.opened.searches.map(({ first, count }) => rowsWithin(candidates.bits, first, count));
    this.within.set(candidates, made);
    return made;
  }

  private languageOf(row: number): string {
    const { first, keyword } = this.segmentOf(row);
    return keyword.manifest.languages[keyword.languages[row - first]!]!.language;
  }

  private segmentOf(row: number): OpenSegment {
    for (let i = this.segments.length - 1; i > 0; i--) {
      if (row >= this.segments[i]!.first) return this.segments[i]!;
    }
    return this.segments[0]!;
  }
}
