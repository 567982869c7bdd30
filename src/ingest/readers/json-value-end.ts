/** Kind of a JSON value, by its first byte. */
type Kind = "container" | "string" | "scalar";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether a byte is JSON whitespace. */
export function isJsonSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}

/**
 * Finds the end of one JSON value across any number of chunks, by counting brackets outside strings. It does not validate the
 * value.
 */
export class JsonValueEnd {
  /** Whether the end was found. */
  done = false;
  private readonly kind: Kind;
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** @param first the value's first byte; {@link find} is given it again */
  constructor(first: number) {
    this.kind = first === 0x7b || first === 0x5b ? "container" : first === QUOTE ? "string" : "scalar";
  }

  /** Index after the value's last byte in `chunk`, searching from `at`; the chunk's length while not `done`. */
  find(chunk: Buffer, at: number): number {
    return this.kind === "scalar" ? this.findScalarEnd(chunk, at) : this.findClose(chunk, at);
  }

  private findScalarEnd(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const c = chunk[at]!;
      if (c === 0x2c || c === 0x5d || c === 0x7d || c === 0x3a || isJsonSpace(c)) {
        this.done = true;
        return at;
      }
    }
    return chunk.length;
  }

  private findClose(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let at = from;
    while (at < length) {
      if (this.inString) {
        at = this.findQuote(chunk, at);
        if (!this.inString && this.depth === 0) {
          this.done = true;
          return at;
        }
        continue;
      }
      const c = chunk[at++]!;
      if (c === QUOTE) this.inString = true;
      else if (c === 0x7b || c === 0x5b) this.depth++;
      else if ((c === 0x7d || c === 0x5d) && --this.depth <= 0) {
        this.done = true;
        return at;
      }
    }
    return length;
  }

  /** Index after the quote that ends the current string, or the chunk's length. */
  private findQuote(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let at = from;
    if (this.escaped && at < length) {
      this.escaped = false;
      at++;
    }
    for (; at < length; at++) {
      const c = chunk[at]!;
      if (c === QUOTE) {
        this.inString = false;
        return at + 1;
      }
      if (c === BACKSLASH) at++;
    }
    this.escaped = at > length;
    return length;
  }
}
