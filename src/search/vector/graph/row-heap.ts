/** A binary heap of rows by whole-number keys, the least key first; it grows as it has to. */
export class RowHeap {
  size = 0;
  private keys: Int32Array;
  private held: Uint32Array;

  constructor(capacity = 256) {
    this.keys = new Int32Array(capacity);
    this.held = new Uint32Array(capacity);
  }

  /** The least key; only of a heap that is not empty. */
  get least(): number {
    return this.keys[0]!;
  }

  /** The row of the least key; only of a heap that is not empty. */
  get first(): number {
    return this.held[0]!;
  }

  clear(): void {
    this.size = 0;
  }

  push(key: number, row: number): void {
    if (this.size === this.keys.length) this.grow();
    const { keys, held } = this;
    let at = this.size++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (keys[above]! <= key) break;
      keys[at] = keys[above]!;
      held[at] = held[above]!;
      at = above;
    }
    keys[at] = key;
    held[at] = row;
  }

  /** Removes the row of the least key. */
  pop(): void {
    this.size -= 1;
    if (this.size > 0) this.sink(this.keys[this.size]!, this.held[this.size]!);
  }

  /** Puts a row in the place of that of the least key. */
  replace(key: number, row: number): void {
    this.sink(key, row);
  }

  /** The rows, in no particular order; valid until the next change. */
  get rows(): Uint32Array {
    return this.held.subarray(0, this.size);
  }

  private sink(key: number, row: number): void {
    const { keys, held, size } = this;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && keys[below + 1]! < keys[below]!) below += 1;
      if (keys[below]! >= key) break;
      keys[at] = keys[below]!;
      held[at] = held[below]!;
      at = below;
    }
    keys[at] = key;
    held[at] = row;
  }

  private grow(): void {
    const [keys, held] = [new Int32Array(this.keys.length * 2), new Uint32Array(this.held.length * 2)];
    keys.set(this.keys);
    held.set(this.held);
    [this.keys, this.held] = [keys, held];
  }
}
