/** Slots per row at least, so that most rows stand in the first slot that is looked at. */
const SLOTS = 2;
/** 2³² divided by the golden ratio: neighbouring numbers of rows get slots far apart (Knuth, volume 3, 6.4). */
const SPREAD = 0x9e3779b1;

/** Numbers rows from 0 on, in the order in which they come: a hash table with open addresses, some times as fast as a Map of so few. */
export class RowNumbers {
  /** Rows that have come. */
  count = 0;
  private readonly listed: Int32Array;
  /** By slot: a row's number, from 1. */
  private readonly slots: Int32Array;
  private readonly shift: number;

  /** @param most rows that come, at most */
  constructor(most: number) {
    const bits = 32 - Math.clz32(Math.max(1, most * SLOTS - 1));
    this.listed = new Int32Array(most);
    this.slots = new Int32Array(1 << bits);
    this.shift = 32 - bits;
  }

  /** The number of a row, which is its own from then on. */
  numberOf(row: number): number {
    const { slots, listed } = this;
    let slot = Math.imul(row, SPREAD) >>> this.shift;
    for (;;) {
      const number = slots[slot]! - 1;
      if (number === -1) {
        listed[this.count] = row;
        this.count += 1;
        slots[slot] = this.count;
        return this.count - 1;
      }
      if (listed[number] === row) return number;
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  /** The rows that have come, by their numbers. */
  rows(): Int32Array {
    return this.listed.subarray(0, this.count);
  }
}
