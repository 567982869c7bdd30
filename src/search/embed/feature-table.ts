import type { Feature } from "./features.js";

/** Numbers by feature: an open-addressing hash table in typed arrays. */
export class FeatureTable {
  /** Two integers a slot, side by side for the processor's cache: a feature, 0 where the slot is empty, and its number. */
  private slots: Uint32Array;
  private used = 0;

  /** `capacity`: features expected; more fit, at the price of a rebuild. */
  constructor(capacity = 1 << 16) {
    let slots = 16;
    while (slots < capacity * 1.5) slots *= 2;
    this.slots = new Uint32Array(slots * 2);
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
    if (this.slots[at] === 0) {
      if (this.used * 6 >= this.slots.length * 2) {
        this.#grow();
        at = this.#find(feature);
      }
      this.slots[at] = feature;
      this.used += 1;
    }
    this.slots[at + 1] = value;
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
    let at = ((feature >>> 2) * 2) & mask;
    while (slots[at] !== 0 && slots[at] !== feature) at = (at + 2) & mask;
    return at;
  }

  #grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0) continue;
      const to = this.#find(old[at]!);
      this.slots[to] = old[at]!;
      this.slots[to + 1] = old[at + 1]!;
    }
  }
}
