import { Kernels } from "../kernels.js";
import { TILE_ROWS } from "./column-codes.js";

/** Where the planes of a scan stand in the kernels' memory, as byte addresses, and how many rows they have: a multiple of 64. */
export interface SumPlaces {
  readonly tables: number;
  readonly planes: number;
  readonly sums: number;
  readonly rows: number;
}

/** The same of a scan that threads share. */
export interface ScanPlaces extends SumPlaces {
  /** {@link CLAIM_BYTES} that say which tiles are left. */
  readonly claims: number;
}

/** Tiles that so many rows are summed in. */
export function tilesOf(rows: number): number {
  return Math.ceil(rows / TILE_ROWS);
}

/** Sums a tile, with the offsets of planes at the begin of memory. */
export function sumTile(
  kernels: Kernels,
  { tables, planes, sums, rows }: SumPlaces,
  units: number,
  tile: number,
): void {
  const first = tile * TILE_ROWS;
  const bytes = (Math.min(TILE_ROWS, rows - first) * BITS) / 8;
  kernels.sumColumns(
    { planes: planes + (first * BITS) / 8, bytes },
    { offsets: 0, units, tables },
    sums + first * Uint16Array.BYTES_PER_ELEMENT,
  );
}

/** Bytes of what threads tell each other: a line of the cache. */
export const CLAIM_BYTES = 64;
const [NEXT, DONE, UNITS] = [0, 1, 2];
/** Bits of a row in a plane. */
const BITS = 2;
/** How long to wait for a tile at a time, ms; a thread that ends takes the one that waits with it. */
const PATIENCE = 100;

/**
 * Sums of columns that two threads compute together, each a tile at a time, whichever comes first; who summed a tile changes
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
   * Sums all tiles, with the column offsets and tables that stand in memory, and returns when all are summed. Of the owner alone.
   * @param call tells the other thread that there is something to do
   */
  sum(units: number, call: () => void): void {
    const { words } = this;
    words[UNITS] = units;
    Atomics.store(words, DONE, 0);
    Atomics.store(words, NEXT, 0);
    call();
    this.help();
    const tiles = tilesOf(this.places.rows);
    for (let done = Atomics.load(words, DONE); done < tiles; done = Atomics.load(words, DONE))
      Atomics.wait(words, DONE, done, PATIENCE);
  }

  /** Sums tiles until all are claimed. */
  help(): void {
    const { words, kernels, places } = this;
    const tiles = tilesOf(places.rows);
    while (Atomics.load(words, NEXT) < tiles) {
      const next = Atomics.add(words, NEXT, 1);
      if (next >= tiles) return;
      sumTile(kernels, places, words[UNITS]!, next);
      Atomics.add(words, DONE, 1);
      Atomics.notify(words, DONE);
    }
  }
}
