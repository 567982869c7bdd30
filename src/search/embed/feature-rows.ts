import { SEARCH_DEFAULTS } from "../defaults.js";
import type { GatherTable } from "../fit/gather-table.js";
import type { FeatureTable } from "./feature-table.js";

/**
 * Feature vectors in the rows of a table: those that were used last stay there, as words come again from query to query. The table
 * has room for all of one text.
 */
export class FeatureRows {
  /** Row by vector, the one that was used longest ago first. */
  private readonly rows = new Map<number, number>();
  private readonly bytes = new Int8Array(SEARCH_DEFAULTS.dimensions);

  /** @param kept how many stay, unless one text has more */
  constructor(
    readonly table: GatherTable,
    private readonly vectors: Pick<FeatureTable, "read">,
    private readonly kept: number,
  ) {}

  /**
   * Returns the row of each vector, which is read where it is not there; valid until the next call. At most as many as there are rows.
   * @throws RangeError if the file is too short
   */
  of(wanted: Uint32Array): Uint32Array {
    const { rows } = this;
    // Those that are there are used from now on, so that no other takes their place.
    for (let i = 0; i < wanted.length; i += 1) {
      const vector = wanted[i]!;
      const row = rows.get(vector);
      if (row === undefined) continue;
      rows.delete(vector);
      rows.set(vector, row);
    }
    const room = Math.max(this.kept, wanted.length);
    const found = new Uint32Array(wanted.length);
    for (let i = 0; i < wanted.length; i += 1) found[i] = rows.get(wanted[i]!) ?? this.read(wanted[i]!, room);
    return found;
  }

  private read(vector: number, room: number): number {
    // Before a row is given up: a read may fail.
    this.vectors.read(vector, 1, this.bytes);
    const row = this.rows.size < room ? this.rows.size : this.takeOldest();
    this.table.fill(Uint32Array.of(row), (bytes) => bytes.set(this.bytes));
    this.rows.set(vector, row);
    return row;
  }

  private takeOldest(): number {
    const [vector, row] = this.rows.entries().next().value!;
    this.rows.delete(vector);
    return row;
  }
}
