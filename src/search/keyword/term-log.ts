import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { VarintReader, writeVarint } from "./varint.js";

const BUFFER = 1 << 20;
/** Bytes that a document's record can take beyond its integers. */
const INTEGER = 5;

/** One document in a {@link TermLog}: parallel lists, an entry a term. */
export interface LoggedDocument {
  readonly terms: readonly number[];
  readonly frequencies: readonly number[];
  readonly positions: readonly (readonly number[])[];
}

/**
 * The terms of documents in the order of their arrival, in a temporary file: read back as often as inverting them in
 * bounded memory takes.
 */
export class TermLog {
  private readonly descriptor: number;
  private buffer = new Uint8Array(BUFFER);
  private used = 0;
  private size = 0;
  private closed = false;

  constructor(path: string) {
    this.descriptor = openSync(path, "w+");
  }

  append({ terms, frequencies, positions }: LoggedDocument): void {
    const needed = positions.reduce((sum, list) => sum + list.length + 3, 1) * INTEGER;
    if (this.used + needed > this.buffer.length) this.#flush(needed);
    let at = writeVarint(this.buffer, this.used, terms.length);
    for (let i = 0; i < terms.length; i += 1) {
      at = writeVarint(this.buffer, at, terms[i]!);
      at = writeVarint(this.buffer, at, frequencies[i]!);
      at = writeVarint(this.buffer, at, positions[i]!.length);
      let previous = 0;
      for (const position of positions[i]!) {
        at = writeVarint(this.buffer, at, position - previous);
        previous = position;
      }
    }
    this.used = at;
  }

  /**
   * Calls `visit` for each term of each document in order, with a reader that stands before the posting's positions
   * (as distances), which it must read or leave: `visit` returns how many of them it has read.
   */
  replay(
    visit: (row: number, term: number, frequency: number, positions: number, reader: VarintReader) => number,
  ): void {
    this.#flush(0);
    let window = new Uint8Array(BUFFER * 4);
    let filled = 0;
    let fileAt = 0;
    let reader = new VarintReader(window);
    const refill = () => {
      const rest = filled - reader.offset;
      const next = rest > window.length / 2 ? new Uint8Array(window.length * 2) : window;
      next.set(window.subarray(reader.offset, filled));
      window = next;
      filled = rest;
      while (filled < window.length && fileAt < this.size) {
        const read = readSync(this.descriptor, window, filled, window.length - filled, fileAt);
        filled += read;
        fileAt += read;
      }
      reader = new VarintReader(window);
    };
    refill();
    for (let row = 0; reader.offset < filled || fileAt < this.size; row += 1) {
      if (filled - reader.offset < BUFFER && fileAt < this.size) refill();
      for (let left = reader.next(); left > 0; left -= 1) {
        if (filled - reader.offset < BUFFER && fileAt < this.size) refill();
        const term = reader.next();
        const frequency = reader.next();
        const positions = reader.next();
        while (filled - reader.offset < positions * INTEGER && fileAt < this.size) refill();
        for (let skip = positions - visit(row, term, frequency, positions, reader); skip > 0; skip -= 1)
          reader.next();
      }
    }
  }

  /** Closes the file; further calls do nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSync(this.descriptor);
  }

  #flush(needed: number): void {
    for (let done = 0; done < this.used; ) {
      done += writeSync(this.descriptor, this.buffer, done, this.used - done, this.size + done);
    }
    this.size += this.used;
    this.used = 0;
    if (needed > this.buffer.length) this.buffer = new Uint8Array(needed);
  }
}
