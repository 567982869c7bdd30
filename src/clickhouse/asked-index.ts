import type { CandidateRows } from "../search/document.js";
import type { NearestRows, Ranking, RankOptions, SearchIndex } from "../search/search-index.js";
import type { Asker } from "./asked-corpus.js";

/** The search index of a view, each question of which goes by an {@link Asker}. */
export class AskedIndex implements SearchIndex {
  constructor(private readonly asker: Asker) {}

  get documentCount(): number {
    return this.shown.documentCount;
  }

  get embedderId(): string {
    return this.shown.embedderId;
  }

  get vectorPlaces(): SearchIndex["vectorPlaces"] {
    return this.shown.vectorPlaces;
  }

  rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking> {
    return this.asker.ask(({ index }) => index.rank(query, candidates, options));
  }

  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    return this.shown.embedQuery(query, signal);
  }

  nearest(vector: Float32Array, candidates: CandidateRows, options: NearestRows): Promise<number[]> {
    return this.asker.ask(({ index }) => index.nearest(vector, candidates, options));
  }

  vectors(rows: readonly number[]): Promise<Float32Array[]> {
    return this.asker.ask(({ index }) => index.vectors(rows));
  }

  /** @throws LakeError `cluster_unsupported` */
  vector(row: number): Float32Array {
    return this.shown.vector(row);
  }

  /** @throws LakeError `cluster_unsupported` */
  vectorsInto(rows: ArrayLike<number>, into: Float32Array): void {
    this.shown.vectorsInto(rows, into);
  }

  /** Nothing is closed: that is the lake's. */
  close(): Promise<void> {
    return this.shown.close();
  }

  private get shown(): SearchIndex {
    return this.asker.view().index;
  }
}
