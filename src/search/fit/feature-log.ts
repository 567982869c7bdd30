import { closeSync, openSync } from "node:fs";
import { readNumbers, withFile, writeNumbers } from "../numbers/number-file.js";
import type { FeatureChunk } from "./chunk-features.js";

/** Integers from which a part of the log is long enough to be worked on by itself, and documents that it has at most. */
const PART = 1 << 24;
const PART_DOCUMENTS = 3 << 12;

/** Where a chunk stands in the log: its features, in how many documents each was found, its documents. */
interface LoggedChunk {
  /** In bytes. */
  readonly offset: number;
  /** How many 32-bit integers each of the three is; the first and the second are as long. */
  readonly features: number;
  readonly length: number;
}

/** Chunks of a log that follow one another, to be worked on in one thread. */
export interface FeatureLogPart {
  readonly path: string;
  readonly chunks: readonly LoggedChunk[];
  readonly documents: number;
}

/** The features of one document of a chunk. */
export interface LoggedFeatures {
  /** Number of the document's language. */
  readonly language: number;
  /** Places in the chunk's features, ascending. */
  readonly places: Uint32Array;
  /** How often each occurs. */
  readonly counts: Uint32Array;
}

/** The features of documents in the order of their arrival, in a temporary file of 32-bit integers: a chunk after another. */
export class FeatureLog {
  /** The log cut into parts, which do not depend on who reads them. */
  readonly parts: FeatureLogPart[] = [];
  private readonly descriptor: number;
  private size = 0;
  private closed = false;

  constructor(private readonly path: string) {
    this.descriptor = openSync(path, "w");
  }

  /** Appends a chunk of so many documents. */
  append({ features, found, log }: FeatureChunk, documents: number): void {
    const chunk: LoggedChunk = { offset: this.size, features: features.length, length: log.length };
    for (const numbers of [features, found, log]) {
      writeNumbers(this.descriptor, this.size, numbers);
      this.size += numbers.byteLength;
    }
    const last = this.parts.at(-1);
    if (last === undefined || lengthOf(last) >= PART || last.documents + documents > PART_DOCUMENTS)
      this.parts.push({ path: this.path, chunks: [chunk], documents });
    else
      this.parts[this.parts.length - 1] = {
        ...last,
        chunks: [...last.chunks, chunk],
        documents: last.documents + documents,
      };
  }

  /** Closes the file; further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSync(this.descriptor);
  }
}

/** Calls `visit` with the chunks of a part of a log, one after another. Throws `RangeError` where the file is shorter than that. */
export async function forEachChunk(
  { path, chunks }: FeatureLogPart,
  visit: (chunk: FeatureChunk) => void,
): Promise<void> {
  await withFile(path, "r", (descriptor) => {
    for (const { offset, features, length } of chunks) {
      const numbers = new Uint32Array(features * 2 + length);
      readNumbers(descriptor, offset, numbers);
      visit({
        features: numbers.subarray(0, features),
        found: numbers.subarray(features, features * 2),
        log: numbers.subarray(features * 2),
      });
    }
  });
}

/** The documents of a chunk, one after another. */
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

function lengthOf({ chunks }: FeatureLogPart): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
