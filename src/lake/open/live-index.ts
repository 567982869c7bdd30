import { LakeError } from "../../contract/errors.js";
import { RowSet } from "../../contract/lake/row-set.js";
import type { CandidateRows } from "../../search/document.js";
import type { NearestRows, Ranking, RankOptions, SearchIndex } from "../../search/search-index.js";

/**
 * A search index that returns live rows only: removals take effect at once in rankings, neighbours and vectors,
 * whatever candidates a caller kept.
 */
export class LiveIndex implements SearchIndex {
  constructor(
    private readonly index: SearchIndex,
    /** The live rows; undefined without removals since the index was built. */
    private readonly live: () => RowSet | undefined,
  ) {}

  /** Number of documents, including removed ones. */
  get documentCount(): number {
    return this.index.documentCount;
  }

  get embedderId(): string {
    return this.index.embedderId;
  }

  get vectorPlaces(): SearchIndex["vectorPlaces"] {
    return this.index.vectorPlaces;
  }

  async rank(query: string, candidates: CandidateRows, options: RankOptions): Promise<Ranking> {
    const ranking = await this.index.rank(query, this.among(candidates), options);
    const live = this.live();
    if (live === undefined || ranking.rows.every((row) => live.has(row))) return ranking;
    const stay = ranking.rows.map((row) => live.has(row));
    return {
      ...ranking,
      rows: ranking.rows.filter((_, i) => stay[i]),
      scores: ranking.scores.filter((_, i) => stay[i]),
    };
  }

  embedQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    return this.index.embedQuery(query, signal);
  }

  async nearest(vector: Float32Array, candidates: CandidateRows, options: NearestRows): Promise<number[]> {
    const rows = await this.index.nearest(vector, this.among(candidates), options);
    const live = this.live();
    return live === undefined ? rows : rows.filter((row) => live.has(row));
  }

  async vectors(rows: readonly number[]): Promise<Float32Array[]> {
    for (const row of rows) this.check(row);
    return this.index.vectors(rows);
  }

  vector(row: number): Float32Array {
    this.check(row);
    return this.index.vector(row);
  }

  vectorsInto(rows: ArrayLike<number>, into: Float32Array): void {
    for (let i = 0; i < rows.length; i++) this.check(rows[i]!);
    this.index.vectorsInto(rows, into);
  }

  /** Closes the index. */
  close(): Promise<void> {
    return this.index.close();
  }

  private check(row: number): void {
    const live = this.live();
    if (live === undefined || live.has(row)) return;
    throw new LakeError("record_removed", `Row ${row} was removed from the lake`, {
      value: row,
      remedy: "ask again: rows are those of an answer that is older than the removal",
    });
  }

  private among(candidates: CandidateRows): CandidateRows {
    const live = this.live();
    if (live === undefined) return candidates;
    const bits = candidates.bits.map((word, i) => word & (live.bits[i] ?? 0));
    return RowSet.fromBits(candidates.size, bits);
  }
}
