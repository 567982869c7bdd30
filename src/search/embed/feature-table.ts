import type { Feature } from "./features.js";

/**
 * Numbers by feature: an open-addressing hash table in typed arrays. A feature's place follows its size, so that features asked for in
 * ascending order are found side by side.
 */
export class FeatureTable {
  /** Two integers a slot, side by side for the processor's cache: a feature, 0 where the slot is empty, and its number. */
  private slots: Uint32Array;
  /** Bits of a feature that its place does not follow. */
  private shift: number;
  private used = 0;

  /** `capacity`: features expected; more fit, at the price of a rebuild. */
  constructor(capacity = 1 << 16) {
    let bits = 4;
    while (2 ** bits < capacity * 1.5) bits += 1;
    this.slots = new Uint32Array(2 ** bits * 2);
    this.shift = 32 - bits;
  }

  get size(): number {
    return this.used;
  }

  /** The number of a feature; undefined where it has none. */
  get(feature: Feature): number | undefined {
    const at = this.#find(feature);
    return this.slots[at] === 0 ? undefined : this.slots[at + 1];
  }

  set(feature: Feature, value: number): void {
    let at = this.#find(feature);
    if (this.slots[at] === 0) at = this.#take(feature, at);
    this.slots[at + 1] = value;
  }

  /** The number of a feature; one without gets the next: as many as there were features before. */
  numberOf(feature: Feature): number {
    let at = this.#find(feature);
    if (this.slots[at] === 0) {
      at = this.#take(feature, at);
      this.slots[at + 1] = this.used - 1;
    }
    return this.slots[at + 1]!;
  }

  /** Calls `visit` for every feature, in no promised order. */
  forEach(visit: (feature: Feature, value: number) => void): void {
    const { slots } = this;
    for (let at = 0; at < slots.length; at += 2) if (slots[at] !== 0) visit(slots[at]!, slots[at + 1]!);
  }

  /** Where a feature stands, or would. */
  #find(feature: Feature): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let at = (feature >>> this.shift) * 2;
    while (slots[at] !== 0 && slots[at] !== feature) at = (at + 2) & mask;
    return at;
  }

  /** Gives a feature the empty slot, or one where there is room. */
  #take(feature: Feature, empty: number): number {
    let at = empty;
    if (this.used * 6 >= this.slots.length * 2) {
      this.#grow();
      at = this.#find(feature);
    }
    this.slots[at] = feature;
    this.used += 1;
    return at;
  }

  #grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(old.length * 2);
    this.shift -= 1;
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0) continue;
      const to = this.#find(old[at]!);
      this.slots[to] = old[at]!;
      this.slots[to + 1] = old[at + 1]!;
    }
  }
}
