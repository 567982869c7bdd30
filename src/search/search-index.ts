import { join } from "node:path";
import { RowSet } from "../contract/lake/row-set.js";
import { type QueryTerms, queryTerms } from "./analysis/query-terms.js";
import { Stemmers } from "./analysis/stemming.js";
import { combine } from "./combine-rankings.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { CandidateRows } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import { ReflectiveEmbedder } from "./embed/reflective-embedder.js";
import { EventLoopQueue } from "./event-loop-queue.js";
import type { RankedRows } from "./favour-languages.js";
import type { Ranks } from "./fusion.js";
import {
  EMBEDDER,
  embedderOf,
  GIVEN_VECTORS,
  type IndexManifest,
  KEYWORD,
  LOCAL_VECTORS,
  readIndexManifest,
  type VectorSetName,
} from "./index-manifest.js";
import { Bm25 } from "./keyword/bm25.js";
import { readLanguages } from "./keyword/keyword-manifest.js";
import { rowsWithPhrases } from "./keyword/phrase.js";
import type { QueryGroups } from "./keyword/query-groups.js";
import { padded } from "./segment/append-vectors.js";
import { type OpenSegment, type OpenSegments, openSegments, rowsWithin } from "./segment/open-segments.js";
import type { VectorPlace } from "./segment/row-vectors.js";

const { fusion } = SEARCH_DEFAULTS;
const NOTHING: RankedRows = { rows: [], scores: [] };
const NO_PHRASE = "no record holds what was quoted: its words were looked for";

/** How a query is ranked. */
export type RankMode = "hybrid" | "keyword" | "semantic";

/** Rows that answer a query, best first. */
export interface Ranking {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
  /** Which ranking found each row. */
  readonly ranks: readonly Ranks[];
  readonly mode: RankMode;
  /** Id of the embedder used for ranking, if any. */
  readonly embedder?: string;
  /** A note for the caller, such as why ranking is keyword only. */
  readonly note?: string;
}

/** Options of {@link SearchIndex.rank}. */
export interface RankOptions {
  readonly limit: number;
  readonly mode?: RankMode;
  readonly signal?: AbortSignal;
}

/** Options of {@link openIndex}. */
export interface OpenOptions {
  /**
   * Ranks if the index has vectors of an embedder with its id; otherwise the index's default embedder ranks.
   */
  readonly embedder?: Embedder;
  /** Ranks by exact scores only, without approximate candidates. */
  readonly exact?: boolean;
  /** Loads the live rows, which count in statistics; called after everything else is open. */
  readonly live?: () => Promise<CandidateRows>;
}

/** An open search index: ranks rows for a query and reads their vectors. */
export interface SearchIndex {
  readonly documentCount: number;
  /** Id of the embedder of generated vectors, for rows without a downloaded one. */
  readonly embedderId: string;
  /** Where the vectors of rows are, for another process to read. */
  readonly vectorPlaces: readonly VectorPlace[];
  /** Ranks the candidates for a query; returns at most `limit` rows. */
  rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking>;
  /** Embeds a query with the index's embedder, 1536 numbers; undefined if it knows none of the words. */
  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  /**
   * Returns the candidates of largest inner product with a vector (1536 numbers) of the index's embedder, best
   * first.
   */
  nearest(
    vector: Float32Array,
    candidates: CandidateRows,
    options: { readonly limit: number; readonly exact?: boolean; readonly signal?: AbortSignal },
  ): Promise<number[]>;
  /**
   * Reads a 1536-d vector per row: the downloaded one if there is one, else that of {@link
   * SearchIndex.embedderId}, whichever embedder is available.
   */
  vectors(rows: readonly number[]): Promise<Float32Array[]>;
  /** Reads the vector of one row synchronously. */
  vector(row: number): Float32Array;
  close(): Promise<void>;
}

/**
 * Opens the search index in a folder, read-only.
 * @throws SearchError if it cannot be read.
 */
export async function openIndex(dir: string, options: OpenOptions = {}): Promise<SearchIndex> {
  const manifest = await readIndexManifest(dir);
  const ranking = rankingSet(manifest, options.embedder);
  const queue = new EventLoopQueue();
  const stemmers = new Stemmers();
  const languages: string[] = [];
  const analyze = (query: string) => queryTerms(query, languages, stemmers);
  const closing: (() => Promise<void> | void)[] = [];
  const segments = openSegments(dir, manifest, ranking, queue).then((opened) => {
    closing.push(() => opened.close());
    return opened;
  });
  const fitted =
    ranking === LOCAL_VECTORS
      ? ReflectiveEmbedder.open(join(dir, EMBEDDER), (text) => analyze(text).terms).then((opened) => {
          closing.push(() => opened.close());
          return opened;
        })
      : undefined;
  const stemming = readLanguages(manifest.segments.map(({ name }) => join(dir, name, KEYWORD))).then(
    (found) => {
      languages.push(...found);
      return stemmers.load(found);
    },
  );
  try {
    await Promise.allSettled([segments, fitted, stemming]);
    const [opened, own] = [await segments, await fitted];
    await stemming;
    const live = await options.live?.();
    const embedder = ranking === GIVEN_VECTORS ? options.embedder : own;
    return new SegmentedIndex(manifest.documentCount, opened, {
      embedder,
      closeEmbedder: own === undefined ? undefined : () => own.close(),
      fitted: own !== undefined,
      madeBy: manifest.vectorSets[0]!.embedder,
      analyze,
      exact: options.exact ?? false,
      queue,
      live,
    });
  } catch (error) {
    for (const close of closing.reverse()) await close();
    throw error;
  }
}

/** The vector set whose embedder is available. */
function rankingSet(manifest: IndexManifest, embedder: Embedder | undefined): VectorSetName | undefined {
  if (embedder !== undefined && embedderOf(manifest, GIVEN_VECTORS) === embedder.id) return GIVEN_VECTORS;
  return manifest.fit === undefined ? undefined : LOCAL_VECTORS;
}

/** Parts of a {@link SegmentedIndex}. */
export interface SegmentedIndexOptions {
  /** The embedder of the ranking set, if available. */
  readonly embedder?: Embedder;
  /** Closes the files of the default embedder. */
  readonly closeEmbedder?: () => void;
  /** Whether the embedder is the default one, fitted to the index: it knows words by their parts at most, and no others. */
  readonly fitted: boolean;
  /** Id of the embedder of the preferred set. */
  readonly madeBy: string;
  readonly analyze: (query: string) => QueryTerms;
  readonly exact: boolean;
  readonly live?: CandidateRows;
  readonly queue: EventLoopQueue;
}

/** A {@link SearchIndex} over open segments, on disk or in memory. */
export class SegmentedIndex implements SearchIndex {
  private readonly bm25: Bm25;
  private readonly segments: readonly OpenSegment[];

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
    const { embedder, fitted, madeBy, queue } = this.options;
    const { signal } = options;
    await queue.next();
    const mode = embedder === undefined ? "keyword" : (options.mode ?? "hybrid");
    const compare = (a: number, b: number) => this.compare(a, b);
    const depth = Math.max(options.limit, fusion.depth);
    const { terms, phrases } = this.options.analyze(query);
    const quoting = phrases.length === 0 ? [] : rowsWithPhrases(this.segments, phrases, candidates);
    const allowed = quoting.length === 0 ? candidates : RowSet.of(candidates.size, quoting);
    const vector = mode === "keyword" ? undefined : await this.embedQuery(query, signal);
    const words = this.bm25.query(terms);
    const needsWords = mode !== "semantic" || (fitted && !words.known);
    // Started first: a worker thread searches a large set while this thread ranks keywords.
    const [near, matching] = await Promise.all([
      vector === undefined ? NOTHING : this.byVector(vector, allowed, { limit: depth, signal }),
      needsWords ? this.byWords(words, allowed, depth, signal) : NOTHING,
    ]);
    // Several replies of the threads may arrive at once.
    await queue.next();
    const found = combine(
      { words, near, matching, mode, fitted },
      options.limit,
      (row) => this.languageOf(row),
      compare,
    );
    const notes = [
      ...(phrases.length > 0 && quoting.length === 0 ? [NO_PHRASE] : []),
      ...(embedder === undefined
        ? [`ranked by keyword alone: the vectors are of ${madeBy}, which is not at hand`]
        : []),
      ...(embedder !== undefined && mode !== "keyword" && embedder.id !== madeBy
        ? [`ranked by the lake's own vectors: ${madeBy}, which made others, is not at hand`]
        : []),
    ];
    return {
      ...found,
      mode,
      ...(embedder === undefined || mode === "keyword" ? {} : { embedder: embedder.id }),
      ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    };
  }

  async embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    const vector = await this.options.embedder?.embedQuery(query, signal);
    return vector === undefined ? undefined : padded(vector);
  }

  async nearest(
    vector: Float32Array,
    candidates: CandidateRows,
    options: { readonly limit: number; readonly exact?: boolean; readonly signal?: AbortSignal },
  ): Promise<number[]> {
    return [...(await this.byVector(vector, candidates, options)).rows];
  }

  private async byVector(
    vector: Float32Array,
    candidates: CandidateRows,
    options: { readonly limit: number; readonly exact?: boolean; readonly signal?: AbortSignal },
  ): Promise<RankedRows> {
    const { limit, exact = this.options.exact, signal } = options;
    const rows = candidates.count === candidates.size ? undefined : candidates.rows();
    const scores = new Map<number, number>();
    const search = async (segment: OpenSegment) => {
      const found = await segment.ranked?.nearest(vector, limit, {
        exact,
        signal,
        rows: rows === undefined ? undefined : rowsWithin(segment, rows),
      });
      found?.rows.forEach((row, i) => {
        scores.set(segment.first + row, found.scores[i]!);
      });
    };
    await Promise.all(this.segments.map(search));
    return this.best(scores, limit);
  }

  async vectors(rows: readonly number[]): Promise<Float32Array[]> {
    return rows.map((row) => this.vector(row));
  }

  vector(row: number): Float32Array {
    const segment = this.segmentOf(row);
    const local = row - segment.first;
    return segment.downloaded.vector(local) ?? segment.made.read(local);
  }

  async close(): Promise<void> {
    this.options.closeEmbedder?.();
    await this.opened.close();
  }

  private async byWords(
    words: QueryGroups,
    candidates: CandidateRows,
    depth: number,
    signal: AbortSignal | undefined,
  ): Promise<RankedRows> {
    const compare = (a: number, b: number) => this.compare(a, b);
    const pause = {
      postings: SEARCH_DEFAULTS.keyword.pausePostings,
      wait: async () => {
        await this.options.queue.next();
        signal?.throwIfAborted();
      },
    };
    return this.bm25.rank(words, candidates, depth, compare, pause);
  }

  private best(scores: ReadonlyMap<number, number>, depth: number): RankedRows {
    const best = [...scores].sort((a, b) => b[1] - a[1] || this.compare(a[0], b[0])).slice(0, depth);
    return { rows: best.map(([row]) => row), scores: best.map(([, score]) => score) };
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

  private compare(a: number, b: number): number {
    return Buffer.compare(this.idOf(a), this.idOf(b));
  }

  private idOf(row: number): Buffer {
    const segment = this.segmentOf(row);
    return segment.ids.bytes(row - segment.first);
  }
}
