/** Hands out the pieces of what is to be loaded. */
export interface Claims {
  /** The number of the next piece, which no other thread gets; undefined where none is left. */
  next(): number | undefined;
  /** Says that a piece is loaded. */
  done(): void;
}

/** All pieces in their order, for one thread. */
export class OwnClaims implements Claims {
  private claimed = 0;

  /** @param pieces how many there are */
  constructor(private readonly pieces: number) {}

  next(): number | undefined {
    return this.claimed < this.pieces ? this.claimed++ : undefined;
  }

  done(): void {}
}

/** Bytes of {@link SharedClaims}: a line of the cache. */
export const SHARED_CLAIMS_BYTES = 64;
const [NEXT, DONE, FAILED] = [0, 1, 2];
/** How long to wait for a piece at a time, ms; a thread that ends takes the one that waits with it. */
const PATIENCE = 100;

/** Pieces that threads load together, each the next one when it is ready. */
export class SharedClaims implements Claims {
  private readonly words: Int32Array;

  /**
   * @param memory what the threads share
   * @param at address of {@link SHARED_CLAIMS_BYTES}, zeros at first
   * @param pieces how many there are
   */
  constructor(
    memory: WebAssembly.Memory,
    at: number,
    private readonly pieces: number,
  ) {
    this.words = new Int32Array(memory.buffer, at, SHARED_CLAIMS_BYTES / 4);
  }

  next(): number | undefined {
    if (Atomics.load(this.words, NEXT) >= this.pieces) return undefined;
    const next = Atomics.add(this.words, NEXT, 1);
    return next < this.pieces ? next : undefined;
  }

  done(): void {
    Atomics.add(this.words, DONE, 1);
    Atomics.notify(this.words, DONE);
  }

  /** Says that a piece cannot be loaded. */
  fail(): void {
    Atomics.store(this.words, FAILED, 1);
    this.done();
  }

  /** Once none is left, waits for those that others load, and returns whether all are. Blocks the thread for a piece's time. */
  settle(): boolean {
    const { words, pieces } = this;
    for (let done = Atomics.load(words, DONE); done < pieces; done = Atomics.load(words, DONE))
      Atomics.wait(words, DONE, done, PATIENCE);
    return Atomics.load(words, FAILED) === 0;
  }
}
