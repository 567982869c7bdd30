import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import type { FeatureLog } from "./feature-log.js";
import type { Vocabulary } from "./vocabulary.js";

const WINDOW_WORDS = 1 << 18;

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
      const entries: [row: number, count: number][] = [];
      features.forEach((feature, i) => {
        const row = rowOf.get(feature);
        if (row !== undefined) entries.push([row, counts[i]!]);
      });
      entries.sort((a, b) => a[0] - b[0]);
      const words = 1 + entries.length * 2;
      if (used + words > buffer.length) flush();
      if (words > buffer.length) buffer = new Uint32Array(words);
      if (documents % WEIGHTED_STRIDE === 0) offsets.push(size + used * 4);
      const weights = new Float32Array(buffer.buffer);
      buffer[used] = entries.length;
      entries.forEach(([row, count], i) => {
        buffer[used + 1 + i] = row;
        weights[used + 1 + entries.length + i] = vocabulary.weight(row, count);
      });
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
