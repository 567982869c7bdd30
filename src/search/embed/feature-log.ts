import { closeSync, openSync } from "node:fs";
import { readIntegers, writeNumbers } from "../number-file.js";

/** Integers from which a part of the log is long enough to be worked on by itself, and documents that it has at most. */
const PART = 1 << 24;
const PART_DOCUMENTS = 3 << 12;

/** Documents of a log that follow one another, to be worked on in one thread. */
export interface FeatureLogPart {
  readonly path: string;
  /** Where they start, and how many 32-bit integers they are. */
  readonly offset: number;
  readonly length: number;
  readonly documents: number;
}

/** The features of one document. */
export interface LoggedFeatures {
  /** Number of the document's language. */
  readonly language: number;
  readonly features: Uint32Array;
  /** How often each occurs. */
  readonly counts: Uint32Array;
}

/**
 * The features of documents in the order of their arrival, in a temporary file of 32-bit integers. A document: language, number
 * of features, the features, their counts.
 */
export class FeatureLog {
  /** The log cut into parts, which do not depend on who reads them. */
  readonly parts: FeatureLogPart[] = [];
  private readonly descriptor: number;
  private size = 0;
  private closed = false;

  constructor(private readonly path: string) {
    this.descriptor = openSync(path, "w");
  }

  /** Appends documents, as {@link FeatureChunk} has them. */
  append(log: Uint32Array, documents: number): void {
    writeNumbers(this.descriptor, this.size, log);
    const last = this.parts.at(-1);
    if (last === undefined || last.length >= PART || last.documents + documents > PART_DOCUMENTS)
      this.parts.push({ path: this.path, offset: this.size, length: log.length, documents });
    else
      this.parts[this.parts.length - 1] = {
        ...last,
        length: last.length + log.length,
        documents: last.documents + documents,
      };
    this.size += log.byteLength;
  }

  /** Closes the file; further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSync(this.descriptor);
  }
}

/** The documents of a part of a log, one after another. Throws `RangeError` where the file is shorter than that. */
export function* readFeatures(part: FeatureLogPart): Generator<LoggedFeatures, void, void> {
  const words = readIntegers(part.path, part.offset, part.length);
  for (let at = 0; at < words.length; ) {
    const count = words[at + 1]!;
    const first = at + 2;
    yield {
      language: words[at]!,
      features: words.subarray(first, first + count),
      counts: words.subarray(first + count, first + count * 2),
    };
    at = first + count * 2;
  }
}
