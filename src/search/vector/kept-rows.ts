/** The rows of a set whose vectors are kept in memory: as many as have room, evenly spread, so that every search gains alike. */
export class KeptRows {
  /** @param kept rows with room, at most `count` */
  constructor(
    private readonly count: number,
    readonly kept: number,
  ) {}

  /** Whether all are. */
  get all(): boolean {
    return this.kept === this.count;
  }

  /** The place of a row among those that are kept, in their order; undefined where it is not. */
  place(row: number): number | undefined {
    const place = this.before(row);
    return this.before(row + 1) === place ? undefined : place;
  }

  /** How many rows before this one are kept. */
  private before(row: number): number {
    return Math.floor((row * this.kept) / this.count);
  }
}
