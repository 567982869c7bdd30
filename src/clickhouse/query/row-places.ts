import type { Load } from "../committed-loads.js";

/** Where a row of a view is in the tables. */
export interface RowPlace {
  readonly load: number;
  readonly ordinal: number;
}

/** Numbers the records of the complete loads 0, 1, …: those of the first load in their order, then those of the next. */
export class RowPlaces {
  /** Number of rows. */
  readonly count: number;
  private readonly firsts = new Map<number, number>();

  constructor(private readonly loads: readonly Load[]) {
    let first = 0;
    for (const { id, records } of loads) {
      this.firsts.set(id, first);
      first += records;
    }
    this.count = first;
  }

  /** The row of a record. @throws RangeError for a load that the view does not have */
  rowOf(load: number, ordinal: number): number {
    const first = this.firsts.get(load);
    if (first === undefined) throw new RangeError(`Load ${load} is not in this view`);
    return first + ordinal;
  }

  /** The place of a row. @throws RangeError for a row that does not exist */
  placeOf(row: number): RowPlace {
    if (!Number.isInteger(row) || row < 0 || row >= this.count)
      throw new RangeError(`Row ${row} of ${this.count} records`);
    let ordinal = row;
    for (const { id, records } of this.loads) {
      if (ordinal < records) return { load: id, ordinal };
      ordinal -= records;
    }
    throw new RangeError(`Row ${row} of ${this.count} records`);
  }
}
