import { closeSync, openSync } from "node:fs";
import { readNumbers, withFile, writeNumbers } from "../numbers/number-file.js";
import type { FeatureChunk } from "./chunk-features.js";

/** Least integers of a part of the log, and most documents. */
const PART = 1 << 24;
const PART_DOCUMENTS = 3 << 12;
/** Parts of a log that few threads can share. */
const FEWEST_PARTS = 4;

/** Offsets of a chunk in the log: features, document counts, documents. */
interface LoggedChunk {
  /** In bytes. */
  readonly offset: number;
  /** Number of 32-bit integers of each array; the first two have equal length. */
  readonly features: number;
  readonly length: number;
  readonly documents: number;
}

/** Consecutive chunks of a log, processed by one thread. */
export interface FeatureLogPart {
  readonly path: string;
  readonly chunks: readonly LoggedChunk[];
  readonly documents: number;
}

/** The features of one document of a chunk. */
export interface LoggedFeatures {
  /** Number of the document's language. */
  readonly language: number;
  /** Indexes in the chunk's features, ascending. */
  readonly places: Uint32Array;
  /** Count of each feature. */
  readonly counts: Uint32Array;
}

/** The features of documents in order of arrival, in a temporary file of 32-bit integers, chunk by chunk. */
export class FeatureLog {
  private readonly chunks: LoggedChunk[] = [];
  private readonly descriptor: number;
  private size = 0;
  private closed = false;

  constructor(readonly path: string) {
    this.descriptor = openSync(path, "w");
  }

  /** Appends a chunk of `documents` documents. */
  append({ features, found, log }: FeatureChunk, documents: number): void {
    this.chunks.push({ offset: this.size, features: features.length, length: log.length, documents });
    for (const numbers of [features, found, log]) {
      writeNumbers(this.descriptor, this.size, numbers);
      this.size += numbers.byteLength;
    }
  }

  /** Parts of the log, of whole chunks. Which they are does not change what is made of them. */
  parts(): FeatureLogPart[] {
    const most = Math.min(PART_DOCUMENTS, documentsOf(this.chunks) / FEWEST_PARTS);
    const parts: LoggedChunk[][] = [];
    for (const chunk of this.chunks) {
      const last = parts.at(-1);
      const full =
        last !== undefined && (lengthOf(last) >= PART || documentsOf(last) + chunk.documents > most);
      if (last === undefined || full) parts.push([chunk]);
      else last.push(chunk);
    }
    return parts.map((chunks) => ({ path: this.path, chunks, documents: documentsOf(chunks) }));
  }

  /** Closes the file; further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSync(this.descriptor);
  }
}

/**
 * Calls `use` with each chunk of a part of a log, in order.
 * @throws RangeError if the file is too short.
 */
export async function forEachChunk(
  { path, chunks }: FeatureLogPart,
  use: (chunk: FeatureChunk) => void,
): Promise<void> {
  await withFile(path, "r", (descriptor) => {
    for (const { offset, features, length } of chunks) {
      const numbers = new Uint32Array(features * 2 + length);
      readNumbers(descriptor, offset, numbers);
      use({
        features: numbers.subarray(0, features),
        found: numbers.subarray(features, features * 2),
        log: numbers.subarray(features * 2),
      });
    }
  });
}

/** Iterates over the documents of a chunk. */
export function* readDocuments({ log }: FeatureChunk): Generator<LoggedFeatures, void, void> {
  for (let at = 0; at < log.length; ) {
    const count = log[at + 1]!;
    const first = at + 2;
    yield {
      language: log[at]!,
      places: log.subarray(first, first + count),
      counts: log.subarray(first + count, first + count * 2),
    };
    at = first + count * 2;
  }
}

function lengthOf(chunks: readonly LoggedChunk[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function documentsOf(chunks: readonly LoggedChunk[]): number {
  return chunks.reduce((sum, { documents }) => sum + documents, 0);
}
