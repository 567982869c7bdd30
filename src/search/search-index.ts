import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { analyze } from "./analysis/analyze.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { CandidateRows } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import { ReflectiveEmbedder } from "./embed/reflective.js";
import { fuse } from "./fusion.js";
import { InvertedIndex } from "./keyword/inverted-index.js";
import { readIndexManifest } from "./manifest.js";

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
  readonly ids: readonly string[];
  readonly keyword: InvertedIndex;
  readonly local: FileHandle;
  readonly downloaded: FileHandle;
  readonly downloadedAt: ReadonlyMap<number, number>;
}

/** Opens the search index in a folder, read-only. Throws `SearchError` where it cannot be read. */
export async function openIndex(dir: string, options: OpenOptions = {}): Promise<SearchIndex> {
  const manifest = await readIndexManifest(dir);
  const embedder = options.embedder ?? (await ReflectiveEmbedder.load(join(dir, "embedder")));
  const segments: Segment[] = [];
  let first = 0;
  for (const { name, documentCount } of manifest.segments) {
    const { ids, models } = JSON.parse(await readFile(join(dir, name, "ids.json"), "utf8")) as {
      ids: string[];
      models: Record<string, string>;
    };
    segments.push({
      first,
      ids,
      keyword: InvertedIndex.parse(await readFile(join(dir, name, "keyword.json"), "utf8")),
      local: await open(join(dir, name, "local.f32"), "r"),
      downloaded: await open(join(dir, name, "downloaded.f32"), "r"),
      downloadedAt: new Map(Object.keys(models).map((row, i) => [Number(row), i])),
    });
    first += documentCount;
  }
  return new LocalSearchIndex(first, segments, embedder);
}

class LocalSearchIndex implements SearchIndex {
  constructor(
    readonly documentCount: number,
    private readonly segments: readonly Segment[],
    private readonly embedder: Embedder,
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
    return Promise.all(
      rows.map(async (row) => {
        const segment = this.#segmentOf(row);
        const at = segment.downloadedAt.get(row - segment.first);
        return at === undefined
          ? readVector(segment.local, row - segment.first)
          : readVector(segment.downloaded, at);
      }),
    );
  }

  async close(): Promise<void> {
    for (const segment of this.segments) {
      await segment.local.close();
      await segment.downloaded.close();
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
    const scores = new Map<number, number>();
    for (const row of candidates.rows()) {
      signal?.throwIfAborted();
      const segment = this.#segmentOf(row);
      const stored = await readVector(segment.local, row - segment.first);
      let dot = 0;
      for (let i = 0; i < vector.length; i++) dot += vector[i]! * stored[i]!;
      scores.set(row, dot);
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
    const [x, y] = [this.#idOf(a), this.#idOf(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  }

  #idOf(row: number): string {
    const segment = this.#segmentOf(row);
    return segment.ids[row - segment.first] ?? "";
  }
}

async function readVector(file: FileHandle, position: number): Promise<Float32Array> {
  const vector = new Float32Array(SEARCH_DEFAULTS.dimensions);
  await file.read(new Uint8Array(vector.buffer), 0, vector.byteLength, position * vector.byteLength);
  return vector;
}
