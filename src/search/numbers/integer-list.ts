const LEAST = 1024;

/** A list of unsigned 32-bit integers in a typed array that doubles. */
export class IntegerList {
  private values = new Uint32Array(LEAST);
  /** Number of integers. */
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length) this.grow(this.length * 2);
    this.values[this.length++] = value;
  }

  /** Appends two. */
  push2(a: number, b: number): void {
    if (this.length + 2 > this.values.length) this.grow(this.length * 2);
    const { values, length } = this;
    values[length] = a;
    values[length + 1] = b;
    this.length = length + 2;
  }

  /** Appends four, with one capacity check. */
  push4(a: number, b: number, c: number, d: number): void {
    if (this.length + 4 > this.values.length) this.grow(this.length * 2);
    const { values, length } = this;
    values[length] = a;
    values[length + 1] = b;
    values[length + 2] = c;
    values[length + 3] = d;
    this.length = length + 4;
  }

  /** Appends many. */
  append(values: Uint32Array): void {
    if (this.length + values.length > this.values.length) this.grow((this.length + values.length) * 2);
    this.values.set(values, this.length);
    this.length += values.length;
  }

  /** Returns a view of the integers, valid until the next change. */
  view(): Uint32Array {
    return this.values.subarray(0, this.length);
  }

  /** Empties the list but keeps its memory. */
  clear(): void {
    this.length = 0;
  }

  private grow(length: number): void {
    const grown = new Uint32Array(length);
    grown.set(this.values);
    this.values = grown;
  }
}
