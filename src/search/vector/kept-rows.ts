/**
 * The rows of a set whose vectors are kept in memory: as many as have room. At first they are evenly spread; then rows that searches
 * score take the places of others, since some rows are near to many queries. The clock algorithm chooses which: a row that was found
 * since the hand passed it stays for another round (Corbató, "A paging experiment with the Multics system", 1968).
 */
export class KeptRows {
  /** The place of each row, or −1; absent where all rows are kept. */
  private readonly places: Int32Array | undefined;
  private readonly rows: Uint32Array;
  private readonly found: Uint8Array;
  private hand = 0;

  /** @param kept rows with room, at most `count` */
  constructor(
    count: number,
    readonly kept: number,
  ) {
    const some = kept < count;
    this.places = some ? new Int32Array(count).fill(-1) : undefined;
    this.rows = new Uint32Array(some ? kept : 0);
    this.found = new Uint8Array(this.rows.length);
    for (let place = 0; place < this.rows.length; place += 1) {
      const row = Math.ceil(((place + 1) * count) / kept) - 1;
      this.rows[place] = row;
      this.places![row] = place;
    }
  }

  /** Whether all are. */
  get all(): boolean {
    return this.places === undefined;
  }

  /** Whether a row is among them; the hand does not learn of it. */
  has(row: number): boolean {
    return this.places === undefined || this.places[row]! >= 0;
  }

  /** The place of a row among those that are kept, which counts as found; undefined where it is not. */
  place(row: number): number | undefined {
    if (this.places === undefined) return row;
    const place = this.places[row]!;
    if (place < 0) return undefined;
    this.found[place] = 1;
    return place;
  }

  /** The place that a row has at first, before any takes that of another; the hand does not learn of it. */
  firstPlace(row: number): number | undefined {
    if (this.places === undefined) return row;
    const place = this.places[row]!;
    return place < 0 ? undefined : place;
  }

  /** Gives a row that is not kept the place of one that is, and returns it; undefined where there is no room at all. */
  keep(row: number): number | undefined {
    const { places, rows, found } = this;
    if (places === undefined || rows.length === 0) return undefined;
    while (found[this.hand] === 1) this.pass();
    const place = this.hand;
    places[rows[place]!] = -1;
    places[row] = place;
    rows[place] = row;
    this.pass();
    return place;
  }

  private pass(): void {
    this.found[this.hand] = 0;
    this.hand = this.hand + 1 === this.rows.length ? 0 : this.hand + 1;
  }
}
