/** Seeded randomness: the same seed gives the same choices on every machine (mulberry32, 32-bit integer arithmetic only). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A whole number from `min` to `max`, small ones far likelier: how likes and plays are spread. */
  skewed(min: number, max: number): number {
    const u = this.next();
    return min + Math.floor(u * u * u * u * (max - min + 1));
  }

  /** True with probability `p`. */
  chance(p: number): boolean {
    return this.next() < p;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)]!;
  }

  /** A string of decimal digits that does not start with 0. */
  digits(length: number): string {
    let text = String(this.int(1, 9));
    while (text.length < length) text += this.int(0, 9);
    return text;
  }

  /** A string over base-62, such as platforms make their opaque ids of. */
  token(length: number): string {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let text = "";
    while (text.length < length) text += alphabet[this.int(0, 61)];
    return text;
  }
}
