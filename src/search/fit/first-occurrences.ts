import type { Feature } from "../embed/features.js";

/** Cells of the filter. */
const CELLS = 1 << 28;
/** Cells that are kept one by one. With more the table takes over, whose 64 MB a small corpus need not allocate. */
const SPARSE_CELLS = 1 << 16;

/** How often a feature was seen: never, once, or often enough that it counts. */
export const OCCURRENCE = { never: 0, seen: 1, counted: 3 } as const;
export type Occurrence = (typeof OCCURRENCE)[keyof typeof OCCURRENCE];

/** A filter that remembers in two bits how often a feature was seen. Features that share a cell share what is known. */
export class FirstOccurrences {
  private sparse = new Map<number, Occurrence>();
  private table: Uint32Array | undefined;

  get(feature: Feature): Occurrence {
    const cell = cellOf(feature);
    if (this.table === undefined) return this.sparse.get(cell) ?? OCCURRENCE.never;
    return ((this.table[cell >>> 4]! >>> ((cell & 15) * 2)) & 3) as Occurrence;
  }

  /** Notes an occurrence; what is known of a cell only grows. */
  note(feature: Feature, occurrence: Occurrence): void {
    const cell = cellOf(feature);
    if (this.table === undefined) {
      this.sparse.set(cell, occurrence);
      if (this.sparse.size > SPARSE_CELLS) this.table = this.tabulated();
    } else put(this.table, cell, occurrence);
  }

  private tabulated(): Uint32Array {
    const table = new Uint32Array(CELLS / 16);
    for (const [cell, occurrence] of this.sparse) put(table, cell, occurrence);
    this.sparse = new Map();
    return table;
  }
}

function cellOf(feature: Feature): number {
  return (feature >>> 2) & (CELLS - 1);
}

function put(table: Uint32Array, cell: number, occurrence: Occurrence): void {
  table[cell >>> 4]! |= occurrence << ((cell & 15) * 2);
}
