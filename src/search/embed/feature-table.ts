import type { Feature } from "./features.js";

/** Numbers by feature: an open-addressing hash table in typed arrays. */
export class FeatureTable {
  private keys: Uint32Array;
  private values: Uint32Array;
  private used = 0;

  /** `capacity`: features expected; more fit, at the price of a rebuild. */
  constructor(capacity = 1 << 16) {
    let slots = 16;
    while (slots < capacity * 1.5) slots *= 2;
    this.keys = new Uint32Array(slots);
    this.values = new Uint32Array(slots);
  }

  get size(): number {
    return this.used;
  }

  /** The number of a feature; undefined where it has none. */
  get(feature: Feature): number | undefined {
    const slot = this.#slot(feature);
    return this.keys[slot] === 0 ? undefined : this.values[slot];
  }

  set(feature: Feature, value: number): void {
    const slot = this.#claim(feature); // may replace the arrays
    this.values[slot] = value;
  }

  /** Calls `visit` for every feature, in no promised order. */
  forEach(visit: (feature: Feature, value: number) => void): void {
    this.keys.forEach((key, slot) => {
      if (key !== 0) visit(key, this.values[slot]!);
    });
  }

  #slot(feature: Feature): number {
    const { keys } = this;
    const mask = keys.length - 1;
    let slot = (feature >>> 2) & mask;
    while (keys[slot] !== 0 && keys[slot] !== feature) slot = (slot + 1) & mask;
    return slot;
  }

  #claim(feature: Feature): number {
    let slot = this.#slot(feature);
    if (this.keys[slot] !== 0) return slot;
    if (this.used * 3 >= this.keys.length * 2) {
      this.#grow();
      slot = this.#slot(feature);
    }
    this.keys[slot] = feature;
    this.used += 1;
    return slot;
  }

  #grow(): void {
    const { keys, values } = this;
    this.keys = new Uint32Array(keys.length * 2);
    this.values = new Uint32Array(keys.length * 2);
    keys.forEach((key, old) => {
      if (key === 0) return;
      const slot = this.#slot(key);
      this.keys[slot] = key;
      this.values[slot] = values[old]!;
    });
  }
}
