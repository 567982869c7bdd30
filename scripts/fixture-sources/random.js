/** Seeded randomness: the same seed gives the same choices on every machine (mulberry32, 32-bit integer arithmetic only). */
export class Random {
  /** @type {number} */ #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /**
   * A number in [0, 1).
   * @returns {number}
   */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /**
   * A whole number from `min` to `max`, both included.
   * @param {number} min
   * @param {number} max
   * @returns {number}
   */
  int(min, max) {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /**
   * A whole number from `min` to `max`, small ones far likelier: how likes and plays are spread.
   * @param {number} min
   * @param {number} max
   * @returns {number}
   */
  skewed(min, max) {
    const u = this.next();
    return min + Math.floor(u * u * u * u * (max - min + 1));
  }

  /**
   * True with probability `p`.
   * @param {number} p
   * @returns {boolean}
   */
  chance(p) {
    return this.next() < p;
  }

  /**
   * @template T
   * @param {readonly T[]} items
   * @returns {T}
   */
  pick(items) {
    return items[this.int(0, items.length - 1)];
  }

  /**
   * A string of decimal digits that does not start with 0.
   * @param {number} length
   * @returns {string}
   */
  digits(length) {
    let text = String(this.int(1, 9));
    while (text.length < length) text += this.int(0, 9);
    return text;
  }

  /**
   * A string over base-62, such as platforms make their opaque ids of.
   * @param {number} length
   * @returns {string}
   */
  token(length) {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let text = "";
    while (text.length < length) text += alphabet[this.int(0, 61)];
    return text;
  }
}
