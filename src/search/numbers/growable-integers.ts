/** Maps dense numbers to integers, in a typed array that doubles; the default is 0. */
export class GrowableIntegers {
  private values = new Int32Array(1024);

  get(index: number): number {
    return index < this.values.length ? this.values[index]! : 0;
  }

  set(index: number, value: number): void {
    this.reserve(index + 1);
    this.values[index] = value;
  }

  add(index: number, amount: number): void {
    this.reserve(index + 1);
    this.values[index]! += amount;
  }

  /** Sets all to 0. */
  clear(): void {
    this.values.fill(0);
  }

  private reserve(length: number): void {
    if (length <= this.values.length) return;
    const grown = new Int32Array(Math.max(length, this.values.length * 2));
    grown.set(this.values);
    this.values = grown;
  }
}
