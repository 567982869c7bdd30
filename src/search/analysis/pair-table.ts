/** Integers per slot: the pair, and its number plus 1. */
const SLOT = { width: 4, second: 1, number: 2 } as const;
const FIRST_BITS = 10;

/** Maps pairs of 32-bit integers to numbers: an open-addressing hash table in a typed array. */
export class PairTable {
  private bits = FIRST_BITS;
  private slots = new Int32Array(2 ** this.bits * SLOT.width);
  private used = 0;

  /** Returns the number of a pair; −1 without one. */
  get(first: number, second: number): number {
    return this.slots[this.find(first, second) + SLOT.number]! - 1;
  }

  /** Sets the number of a pair. */
  set(first: number, second: number, number: number): void {
    if ((this.used + 1) * SLOT.width * 2 > this.slots.length) this.grow();
    const at = this.find(first, second);
    if (this.slots[at + SLOT.number] === 0) this.used += 1;
    this.slots[at] = first;
    this.slots[at + SLOT.second] = second;
    this.slots[at + SLOT.number] = number + 1;
  }

  /** Offset of a pair's slot, or of the free slot for it. */
  private find(first: number, second: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    const hash = Math.imul(Math.imul(first, 0x9e37_79b1) ^ second, 0x85eb_ca6b);
    let at = (hash >>> (32 - this.bits)) * SLOT.width;
    while (slots[at + SLOT.number] !== 0 && (slots[at] !== first || slots[at + SLOT.second] !== second))
      at = (at + SLOT.width) & mask;
    return at;
  }

  private grow(): void {
    const old = this.slots;
    this.bits += 1;
    this.slots = new Int32Array(old.length * 2);
    for (let at = 0; at < old.length; at += SLOT.width) {
      if (old[at + SLOT.number] === 0) continue;
      const to = this.find(old[at]!, old[at + SLOT.second]!);
      for (let i = 0; i <= SLOT.number; i += 1) this.slots[to + i] = old[at + i]!;
    }
  }
}
