import { closeSync, openSync, readSync, writeSync } from "node:fs";
import type { InvertedChunk } from "./chunk-postings.js";

/** Integers per term in a record. */
const COLUMNS = 4;

/** A logged chunk: its terms in their order, as their numbers in the segment. */
export interface LoggedChunk {
  /** Row of its first document. */
  readonly firstRow: number;
  readonly numbers: Uint32Array;
  readonly last: Uint32Array;
  readonly postingBytes: Uint32Array;
  readonly positionBytes: Uint32Array;
  readonly postings: Uint8Array;
  readonly positions: Uint8Array;
}

interface Entry {
  readonly firstRow: number;
  readonly terms: number;
  readonly postings: number;
  readonly positions: number;
}

/**
 * The inverted chunks of a segment in row order, in a temporary file. Joining them in bounded memory reads it
 * several times.
 */
export class ChunkLog {
  private readonly descriptor: number;
  private readonly entries: Entry[] = [];
  private size = 0;
  private closed = false;

  constructor(path: string) {
    this.descriptor = openSync(path, "w+");
  }

  append(firstRow: number, numbers: Uint32Array, chunk: InvertedChunk): void {
    const { last, postingBytes, positionBytes, postings, positions } = chunk;
    this.entries.push({
      firstRow,
      terms: numbers.length,
      postings: postings.length,
      positions: positions.length,
    });
    for (const part of [numbers, last, postingBytes, positionBytes, postings, positions]) this.write(part);
  }

  /** Iterates over the chunks; each is valid until the next one is read. */
  *[Symbol.iterator](): Generator<LoggedChunk, void, void> {
    let memory = new ArrayBuffer(0);
    let at = 0;
    for (const { firstRow, terms, postings, positions } of this.entries) {
      const bytes = terms * COLUMNS * 4 + postings + positions;
      if (bytes > memory.byteLength) memory = new ArrayBuffer(bytes);
      this.read(new Uint8Array(memory, 0, bytes), at);
      at += bytes;
      const column = (n: number) => new Uint32Array(memory, n * terms * 4, terms);
      yield {
        firstRow,
        numbers: column(0),
        last: column(1),
        postingBytes: column(2),
        positionBytes: column(3),
        postings: new Uint8Array(memory, terms * COLUMNS * 4, postings),
        positions: new Uint8Array(memory, terms * COLUMNS * 4 + postings, positions),
      };
    }
  }

  /** Closes the file; further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSync(this.descriptor);
  }

  private write({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array): void {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.descriptor, bytes, done, bytes.length - done, this.size + done);
    this.size += bytes.length;
  }

  private read(into: Uint8Array, position: number): void {
    for (let done = 0; done < into.length; ) {
      const read = readSync(this.descriptor, into, done, into.length - done, position + done);
      if (read === 0) throw new RangeError("the log of postings ends early");
      done += read;
    }
  }
}
