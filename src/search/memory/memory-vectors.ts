import { SEARCH_DEFAULTS } from "../defaults.js";
import { listOf } from "../vector/among-rows.js";
import { BYTE_VECTOR, readByteVector } from "../vector/byte-vectors.js";
import type { NearestOptions, NearestSearch } from "../vector/nearest-search.js";
import { wholeQuery } from "../vector/scores/byte-scores.js";
import type { Scored } from "../vector/scores/top-k.js";

const { dimensions } = SEARCH_DEFAULTS;

/** Stored vectors of signed bytes in memory, searched exactly, with the scores of `ByteScores`. */
export class MemoryVectors implements NearestSearch {
  readonly takesHints = false;
  readonly isAside = false;
  readonly exchanges = false;
  private readonly scales: DataView;

  /** @param stored {@link BYTE_VECTOR} bytes per row */
  constructor(private readonly stored: Uint8Array) {
    this.scales = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  }

  /** The vector of a row, 1536 numbers. */
  read(row: number): Float32Array {
    const vector = new Float32Array(dimensions);
    readByteVector(this.stored.subarray(row * BYTE_VECTOR, (row + 1) * BYTE_VECTOR), vector);
    return vector;
  }

  /** Reads `count` consecutive vectors from row `first` on into `into` (`count` × 1536 numbers). */
  readRun(first: number, count: number, into: Float32Array): void {
    for (let i = 0; i < count; i += 1) into.set(this.read(first + i), i * dimensions);
  }

  async nearest(query: Float32Array, limit: number, { rows, signal }: NearestOptions = {}): Promise<Scored> {
    signal?.throwIfAborted();
    const { values, unit } = wholeQuery(query);
    const count = this.stored.length / BYTE_VECTOR;
    const wanted = rows === undefined ? Uint32Array.from({ length: count }, (_, row) => row) : listOf(rows);
    const scored = Array.from(wanted, (row) => ({ row, score: this.dot(row, values) * unit }));
    const best = scored.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, limit);
    return { rows: best.map(({ row }) => row), scores: best.map(({ score }) => score) };
  }

  private dot(row: number, query: Int16Array): number {
    const at = row * BYTE_VECTOR;
    const bytes = new Int8Array(this.stored.buffer, this.stored.byteOffset + at, dimensions);
    let sum = 0;
    for (let i = 0; i < dimensions; i += 1) sum += bytes[i]! * query[i]!;
    return sum * this.scales.getFloat32(at + dimensions, true);
  }
}
