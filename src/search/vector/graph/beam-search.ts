import { type RowCodes, SCORED_ROWS } from "../codes/row-codes.js";
import { RowHeap } from "./row-heap.js";

/** The links of a graph: those of a row stand in `ids` from `starts[row]` to before `ends[row]`. */
export interface Links {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly ids: Uint32Array;
}

/** Whether a row may be found; others only lead to it. */
export type Accept = (row: number) => boolean;

/**
 * Best-first search of a graph (Malkov and Yashunin 2018, algorithm 2) by the codes of its rows: follows the links of the best row
 * seen so far, until none is left that could be among the `breadth` best. Equal scores keep the order in which they were met.
 */
export class BeamSearch {
  /** The best rows found so far, the worst first. */
  readonly found = new RowHeap();
  private readonly open = new RowHeap();
  private readonly seen: Uint32Array;
  private round = 0;
  private waiting = 0;
  private breadth = 0;
  private accept: Accept | undefined;

  constructor(
    private readonly codes: RowCodes,
    private readonly links: Links,
  ) {
    this.seen = new Uint32Array(codes.count);
  }

  /**
   * Finds the `breadth` rows of largest scores that links lead to from `entries`, in {@link found}.
   * @param weights address of the query's weights
   * @param accept which rows may be found; default: all
   */
  run(weights: number, entries: readonly ArrayLike<number>[], breadth: number, accept?: Accept): void {
    this.begin();
    this.breadth = breadth;
    this.accept = accept;
    for (const rows of entries) this.look(rows, 0, rows.length, weights);
    this.score(weights);
    const { open, found } = this;
    const { starts, ends, ids } = this.links;
    while (open.size > 0) {
      if (found.size >= breadth && -open.least < found.least) break;
      const row = open.first;
      open.pop();
      this.look(ids, starts[row]!, ends[row]!, weights);
      this.score(weights);
    }
  }

  private begin(): void {
    this.open.clear();
    this.found.clear();
    this.waiting = 0;
    if (this.round === 0xffff_ffff) {
      this.seen.fill(0);
      this.round = 0;
    }
    this.round += 1;
  }

  /** Takes note of rows that were not seen yet. */
  private look(rows: ArrayLike<number>, from: number, to: number, weights: number): void {
    const { seen, round } = this;
    const into = this.codes.rows;
    for (let i = from; i < to; i += 1) {
      const row = rows[i]!;
      if (seen[row] === round) continue;
      seen[row] = round;
      into[this.waiting++] = row;
      if (this.waiting === SCORED_ROWS) this.score(weights);
    }
  }

  private score(weights: number): void {
    const { codes, found, open, breadth, accept, waiting } = this;
    if (waiting === 0) return;
    codes.score(waiting, weights);
    const { rows, sums } = codes;
    for (let i = 0; i < waiting; i += 1) {
      const score = sums[i]!;
      const isFull = found.size >= breadth;
      if (isFull && score <= found.least) continue;
      const row = rows[i]!;
      open.push(-score, row);
      if (accept !== undefined && !accept(row)) continue;
      if (isFull) found.replace(score, row);
      else found.push(score, row);
    }
    this.waiting = 0;
  }
}
