import { Kernels } from "../kernels.js";

/** Where the columns of a scan stand in the kernels' memory, as byte addresses, and how many there are. */
export interface ScanPlaces {
  /** {@link CLAIM_BYTES} that say which blocks are left. */
  readonly claims: number;
  readonly tables: number;
  readonly codes: number;
  readonly sums: number;
  readonly dims: number;
  readonly blocks: number;
  /** Rows of a block. */
  readonly block: number;
}

/** Bytes of what threads tell each other: a line of the cache. */
export const CLAIM_BYTES = 64;
const [NEXT, DONE, UNITS] = [0, 1, 2];
/** How long to wait for a block at a time, ms; a thread that ends takes the one that waits with it. */
const PATIENCE = 100;

/**
 * Sums of columns that two threads compute together, each a block at a time, whichever comes first; who summed a block changes
 * nothing about its sums. One thread owns the scan, and the other one helps where it has nothing else to do.
 */
export class SharedSums {
  private readonly words: Int32Array;

  /** @param kernels with memory that is shared */
  constructor(
    private readonly kernels: Kernels,
    private readonly places: ScanPlaces,
  ) {
    this.words = kernels.integers(places.claims, CLAIM_BYTES / 4);
  }

  /** Joins a scan of another thread. */
  static async join(memory: WebAssembly.Memory, places: ScanPlaces): Promise<SharedSums> {
    return new SharedSums(await Kernels.attach(memory), places);
  }

  /**
   * Sums all blocks, with the column offsets and tables that stand in memory, and returns when all are summed. Of the owner alone.
   * @param call tells the other thread that there is something to do
   */
  sum(units: number, call: () => void): void {
    const { words } = this;
    words[UNITS] = units;
    Atomics.store(words, DONE, 0);
    Atomics.store(words, NEXT, 0);
    call();
    this.help();
    for (let done = Atomics.load(words, DONE); done < this.places.blocks; done = Atomics.load(words, DONE))
      Atomics.wait(words, DONE, done, PATIENCE);
  }

  /** Sums blocks until all are claimed. */
  help(): void {
    const { words, kernels, places } = this;
    const { blocks, block, dims, codes, sums, tables } = places;
    const planeBytes = block / 4;
    const blockBytes = dims * 2 * planeBytes;
    while (Atomics.load(words, NEXT) < blocks) {
      const next = Atomics.add(words, NEXT, 1);
      if (next >= blocks) return;
      kernels.sumColumns(
        { codes: codes + next * blockBytes, blocks: 1, blockBytes, planeBytes },
        { offsets: 0, units: words[UNITS]!, tables },
        sums + next * block * Uint16Array.BYTES_PER_ELEMENT,
      );
      Atomics.add(words, DONE, 1);
      Atomics.notify(words, DONE);
    }
  }
}
