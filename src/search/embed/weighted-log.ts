import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { FeatureLog } from "./feature-log.js";
import type { Vocabulary } from "./vocabulary.js";

const WINDOW_WORDS = 1 << 18;
/** A row and how often it occurs are sorted as one number. */
const COUNT_LIMIT = 2 ** 20;

/** The features of a document as rows of the vocabulary, ascending, with their weights. */
export interface WeightedDocument {
  readonly rows: Uint32Array;
  readonly weights: Float32Array;
}

/**
 * Documents as rows and weights, in a temporary file of 32-bit numbers, a document after another: number of rows, the
 * rows, their weights. Written once, read from any multiple of {@link WEIGHTED_STRIDE} by any number of threads.
 */
export interface WeightedLog {
  readonly path: string;
  readonly documents: number;
  /** Where every {@link WEIGHTED_STRIDE}th document starts, in bytes. */
  readonly offsets: readonly number[];
}

/** Documents between two entries of the table of offsets. */
export const WEIGHTED_STRIDE = 256;

/** Weighs the documents of a log of features by a vocabulary; features outside it are dropped. */
export function writeWeightedLog(
  path: string,
  log: FeatureLog,
  vocabulary: Vocabulary,
  signal?: AbortSignal,
): WeightedLog {
  const rowOf = vocabulary.rows();
  let sorted = new Float64Array(1024);
  const descriptor = openSync(path, "w");
  const offsets: number[] = [];
  let documents = 0;
  let size = 0;
  let used = 0;
  let buffer = new Uint32Array(WINDOW_WORDS);
  const flush = () => {
    const bytes = new Uint8Array(buffer.buffer, 0, used * 4);
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done);
    size += bytes.length;
    used = 0;
  };
  try {
    for (const { features, counts } of log) {
      if (documents % 1024 === 0) signal?.throwIfAborted();
      if (features.length > sorted.length) sorted = new Float64Array(features.length * 2);
      let found = 0;
      for (let i = 0; i < features.length; i += 1) {
        const row = rowOf.get(features[i]!);
        if (row !== undefined) sorted[found++] = row * COUNT_LIMIT + Math.min(counts[i]!, COUNT_LIMIT - 1);
      }
      const entries = sorted.subarray(0, found).sort();
      const words = 1 + found * 2;
      if (used + words > buffer.length) flush();
      if (words > buffer.length) buffer = new Uint32Array(words);
      if (documents % WEIGHTED_STRIDE === 0) offsets.push(size + used * 4);
      const weights = new Float32Array(buffer.buffer);
      buffer[used] = found;
      for (let i = 0; i < found; i += 1) {
        const row = Math.floor(entries[i]! / COUNT_LIMIT);
        buffer[used + 1 + i] = row;
        weights[used + 1 + found + i] = vocabulary.weight(row, entries[i]! % COUNT_LIMIT);
      }
      used += words;
      documents += 1;
    }
    flush();
  } finally {
    closeSync(descriptor);
  }
  return { path, documents, offsets };
}

/** Documents `first` (a multiple of the stride) to `end` − 1; each is valid until the next is asked for. */
export function* readWeightedLog(
  { path, offsets }: WeightedLog,
  first: number,
  end: number,
): Generator<WeightedDocument, void, void> {
  if (first >= end) return;
  const descriptor = openSync(path, "r");
  try {
    let window = new Uint32Array(WINDOW_WORDS);
    let position = offsets[first / WEIGHTED_STRIDE]!;
    const { size } = fstatSync(descriptor);
    let [start, filled] = [0, 0];
    const ensure = (words: number) => {
      if (filled - start >= words) return;
      const next = words > window.length ? new Uint32Array(words) : window;
      next.set(window.subarray(start, filled));
      window = next;
      [start, filled] = [0, filled - start];
      const bytes = new Uint8Array(window.buffer);
      while (filled < window.length && position < size) {
        const read = readSync(
          descriptor,
          bytes,
          filled * 4,
          Math.min(bytes.length - filled * 4, size - position) & ~3,
          position,
        );
        position += read;
        filled += read / 4;
      }
      if (filled < words) throw new RangeError("the log of weights ends early");
    };
    for (let document = first; document < end; document += 1) {
      ensure(1);
      const count = window[start]!;
      ensure(1 + count * 2);
      const at = start + 1;
      start = at + count * 2;
      yield {
        rows: window.subarray(at, at + count),
        weights: new Float32Array(window.buffer, (at + count) * 4, count),
      };
    }
  } finally {
    closeSync(descriptor);
  }
}

/** All documents of several logs, in order; each is valid until the next is asked for. */
export function* readWeightedLogs(logs: readonly WeightedLog[]): Generator<WeightedDocument, void, void> {
  for (const log of logs) yield* readWeightedLog(log, 0, log.documents);
}
