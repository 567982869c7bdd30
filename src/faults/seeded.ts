import { hash } from "node:crypto";

const WORD = 2 ** 32;

/**
 * A generator of equal numbers for an equal seed: Small Fast Counter of 32 bits (Doty-Humphrey 2010). For tests; its numbers are
 * no secrets.
 */
export class Seeded {
  private readonly state: Uint32Array;

  /** @param seed any text or number; equal seeds give equal numbers */
  constructor(seed: string | number) {
    const digest = hash("sha256", String(seed), "buffer");
    this.state = Uint32Array.from([0, 4, 8], (at) => digest.readUInt32LE(at));
    this.state = Uint32Array.of(...this.state, 1);
    for (let i = 0; i < 12; i += 1) this.word();
  }

  /** An integer from 0 to 2³² − 1. */
  word(): number {
    const { state } = this;
    const [a, b, c, counter] = state as unknown as [number, number, number, number];
    const sum = (a + b + counter) >>> 0;
    state[3] = counter + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + sum;
    return sum;
  }

  /** A number in [0, 1). */
  readonly next = (): number => this.word() / WORD;

  /** An integer from `from` to `to`, both included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)]!;
  }

  /** Bytes, such as those of keys. */
  readonly bytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => this.word() & 0xff);

  /** A text in the format of a version-4 UUID. */
  readonly uuid = (): string => {
    const bytes = this.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = Buffer.from(bytes).toString("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  };
}
