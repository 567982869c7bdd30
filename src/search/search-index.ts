import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { analyze } from "./analysis/analyze.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { CandidateRows } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import { ReflectiveEmbedder } from "./embed/reflective.js";
import { fuse } from "./fusion.js";
import { InvertedIndex } from "./keyword/inverted-index.js";
import { LOCAL_VECTORS, readIndexManifest } from "./manifest.js";
import { DownloadedVectors, padded } from "./segment/downloaded-vectors.js";
import { IdTable } from "./segment/id-table.js";
import { VectorSet } from "./vector/vector-set.js";

/** How a query is ranked. */
export type RankMode = "hybrid" | "keyword" | "semantic";

/** Rows that answer a query, best first. */
export interface Ranking {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
  readonly mode: RankMode;
  /** Id of the embedder that ranked, where one did. */
  readonly embedder?: string;
  /** What the caller should know: why a ranking is by keyword only, for example. */
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
  readonly embedder?: Embedder;
  /** Rank by exact scores alone, without any approximate candidate list. */
  readonly exact?: boolean;
  /** Rows that count towards statistics: those that are not deleted. */
  readonly live?: CandidateRows;
}

/** An open search index: ranks rows for a query and reads their vectors. */
export interface SearchIndex {
  readonly documentCount: number;
  /** The best rows among the candidates, at most `limit`. */
  rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking>;
  /** A 1536-d vector per row: the downloaded one where there is one, else the local one. */
  vectors(rows: readonly number[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

interface Segment {
  readonly first: number;
  readonly ids: IdTable;
  readonly keyword: InvertedIndex;
  readonly local: VectorSet;
  readonly downloaded: DownloadedVectors;
}

/** Opens the search index in a folder, read-only. Throws `SearchError` where it cannot be read. */
export async function openIndex(dir: string, options: OpenOptions = {}): Promise<SearchIndex> {
  const manifest = await readIndexManifest(dir);
  const embedder = options.embedder ?? (await ReflectiveEmbedder.load(join(dir, "embedder")));
  const segments: Segment[] = [];
  let first = 0;
  for (const { name, documentCount } of manifest.segments) {
    const segment = join(dir, name);
    segments.push({
      first,
      ids: await IdTable.open(segment),
      keyword: InvertedIndex.parse(await readFile(join(segment, "keyword.json"), "utf8")),
      local: await VectorSet.open(join(segment, LOCAL_VECTORS)),
      downloaded: await DownloadedVectors.open(segment),
    });
    first += documentCount;
  }
  return new LocalSearchIndex(first, segments, embedder, options.exact ?? false);
}

class LocalSearchIndex implements SearchIndex {
  constructor(
    readonly documentCount: number,
    private readonly segments: readonly Segment[],
    private readonly embedder: Embedder,
    private readonly exact: boolean,
  ) {}

  async rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking> {
    const mode = options.mode ?? "hybrid";
    const depth = Math.max(options.limit, SEARCH_DEFAULTS.fusionDepth);
    const rankings: { rows: number[]; weight: number }[] = [];
    if (mode !== "semantic") {
      rankings.push({
        rows: this.#byKeyword(query, candidates, depth),
        weight: SEARCH_DEFAULTS.keywordWeight,
      });
    }
    if (mode !== "keyword") {
      rankings.push({
        rows: await this.#byVector(query, candidates, depth, options.signal),
        weight: SEARCH_DEFAULTS.semanticWeight,
      });
    }
    const fused = fuse(rankings, SEARCH_DEFAULTS.rrfConstant, options.limit, (a, b) => this.#compare(a, b));
    return { ...fused, mode, ...(mode === "keyword" ? {} : { embedder: this.embedder.id }) };
  }

  async vectors(rows: readonly number[]): Promise<Float32Array[]> {
    return rows.map((row) => {
      const segment = this.#segmentOf(row);
      const local = row - segment.first;
      return segment.downloaded.vector(local) ?? segment.local.vector(local);
    });
  }

  async close(): Promise<void> {
    for (const segment of this.segments) {
      segment.local.close();
      segment.downloaded.close();
    }
  }

  #byKeyword(query: string, candidates: CandidateRows, depth: number): number[] {
    const { k1, b } = SEARCH_DEFAULTS;
    const total = this.segments.reduce((sum, segment) => sum + segment.keyword.totalLength, 0);
    const average = total / Math.max(1, this.documentCount);
    const scores = new Map<number, number>();
    for (const term of [...new Set(analyze(query))].sort()) {
      const lists = this.segments.map((segment) => segment.keyword.postings(term));
      const frequency = lists.reduce((sum, list) => sum + list.rows.length, 0);
      const idf = Math.log(1 + (this.documentCount - frequency + 0.5) / (frequency + 0.5));
      this.segments.forEach((segment, s) => {
        const { rows, frequencies } = lists[s]!;
        rows.forEach((local, i) => {
          const row = segment.first + local;
          if (!candidates.has(row)) return;
          const tf = frequencies[i]!;
          const norm = k1 * (1 - b + (b * segment.keyword.lengthOf(local)) / average);
          scores.set(row, (scores.get(row) ?? 0) + (idf * tf * (k1 + 1)) / (tf + norm));
        });
      });
    }
    return this.#best(scores, depth);
  }

  async #byVector(
    query: string,
    candidates: CandidateRows,
    depth: number,
    signal?: AbortSignal,
  ): Promise<number[]> {
    const vector = await this.embedder.embedQuery(query, signal);
    if (vector === undefined) return [];
    const query1536 = padded(vector);
    const everything = candidates.count === candidates.size;
    const rows = everything ? undefined : candidates.rows();
    const scores = new Map<number, number>();
    for (const segment of this.segments) {
      const options = { exact: this.exact, ...(signal === undefined ? {} : { signal }) };
      const found = await segment.local.nearest(
        query1536,
        depth,
        rows === undefined ? options : { ...options, rows: rowsOf(segment, rows) },
      );
      found.rows.forEach((row, i) => {
        scores.set(segment.first + row, found.scores[i]!);
      });
    }
    return this.#best(scores, depth);
  }

  #best(scores: ReadonlyMap<number, number>, depth: number): number[] {
    return [...scores]
      .sort((a, b) => b[1] - a[1] || this.#compare(a[0], b[0]))
      .slice(0, depth)
      .map(([row]) => row);
  }

  #segmentOf(row: number): Segment {
    for (let i = this.segments.length - 1; i > 0; i--) {
      if (row >= this.segments[i]!.first) return this.segments[i]!;
    }
    return this.segments[0]!;
  }

  #compare(a: number, b: number): number {
    return Buffer.compare(this.#idOf(a), this.#idOf(b));
  }

  #idOf(row: number): Buffer {
    const segment = this.#segmentOf(row);
    return segment.ids.bytes(row - segment.first);
  }
}

/** The rows of a segment among ascending rows of the index, counted from the segment's first. */
function rowsOf({ first, ids }: Segment, rows: Uint32Array): Uint32Array {
  const from = lowerBound(rows, first);
  return rows.slice(from, lowerBound(rows, first + ids.count)).map((row) => row - first);
}

function lowerBound(rows: Uint32Array, value: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
