import { hash } from "node:crypto";

/** Numbers feature vectors in the order in which they come, equal ones alike: features of the same documents have one. */
export class EqualVectors {
  private readonly known = new Map<string, number>();

  /** Number of different vectors so far. */
  get count(): number {
    return this.known.size;
  }

  /** The number of a stored vector; {@link count} before it came, if it is new. */
  numberOf(stored: Uint8Array): number {
    const key = hash("sha256", stored, "base64");
    const number = this.known.get(key) ?? this.known.size;
    this.known.set(key, number);
    return number;
  }
}
