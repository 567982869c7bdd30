import { closeSync, openSync, readSync, writeSync } from "node:fs";

const WINDOW_WORDS = 1 << 18;

/** The features of one document. */
export interface LoggedFeatures {
  /** Number of the document's language. */
  readonly language: number;
  readonly features: Uint32Array;
  /** How often each occurs. */
  readonly counts: Uint32Array;
}

/**
 * The features of documents in the order of their arrival, in a temporary file of 32-bit integers, read back as often as
 * fitting takes. A document: language, number of features, the features, their counts.
 */
export class FeatureLog {
  private readonly descriptor: number;
  private size = 0;
  private closed = false;
  /** Documents in the log. */
  documents = 0;

  constructor(path: string) {
    this.descriptor = openSync(path, "w+");
  }

  /** Appends documents, as {@link FeatureChunk} has them. */
  append(log: Uint32Array, documents: number): void {
    const bytes = new Uint8Array(log.buffer, log.byteOffset, log.byteLength);
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.descriptor, bytes, done, bytes.length - done, this.size + done);
    this.size += bytes.length;
    this.documents += documents;
  }

  /** The documents, one after another; each is valid until the next is asked for. */
  *[Symbol.iterator](): Generator<LoggedFeatures, void, void> {
    let window = new Uint32Array(WINDOW_WORDS);
    let [start, end, at] = [0, 0, 0];
    const ensure = (words: number) => {
      if (end - start >= words) return;
      const next = words > window.length ? new Uint32Array(words) : window;
      next.set(window.subarray(start, end));
      window = next;
      [start, end] = [0, end - start];
      const bytes = new Uint8Array(window.buffer);
      const target = Math.min(window.length * 4, end * 4 + (this.size - at));
      while (end * 4 < target) {
        const read = this.#read(bytes, end * 4, target - end * 4, at);
        at += read;
        end += read / 4;
      }
    };
    for (let left = this.documents; left > 0; left -= 1) {
      ensure(2);
      const count = window[start + 1]!;
      ensure(2 + count * 2);
      const first = start + 2;
      const language = window[start]!;
      start = first + count * 2;
      yield {
        language,
        features: window.subarray(first, first + count),
        counts: window.subarray(first + count, first + count * 2),
      };
    }
  }

  /** Closes the file; further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSync(this.descriptor);
  }

  #read(into: Uint8Array, offset: number, length: number, position: number): number {
    let done = 0;
    while (done < length) {
      const read = readSync(this.descriptor, into, offset + done, length - done, position + done);
      if (read === 0) throw new RangeError("the log of features ends early");
      done += read;
    }
    return done;
  }
}
