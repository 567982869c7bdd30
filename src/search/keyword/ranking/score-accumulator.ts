import { kthScore } from "./select.js";

/** Matching rows of a query, ascending, with their scores so far. */
export class ScoreAccumulator {
  count = 0;
  private allRows = new Int32Array(4096);
  private allScores = new Float64Array(4096);
  private selection = new Float64Array(0);

  /** The rows; valid until the next change. */
  get rows(): Int32Array {
    return this.allRows.subarray(0, this.count);
  }

  /** Their scores; callers may change them. */
  get scores(): Float64Array {
    return this.allScores.subarray(0, this.count);
  }

  /** Removes all rows. */
  clear(): void {
    this.count = 0;
  }

  /** Appends a row, which is larger than all others. */
  push(row: number, score: number): void {
    if (this.count === this.allRows.length) this.grow(this.count * 2);
    this.allRows[this.count] = row;
    this.allScores[this.count++] = score;
  }

  /** Replaces the rows, ascending, each with score 0. */
  begin(rows: ArrayLike<number>): void {
    this.count = 0;
    if (rows.length > this.allRows.length) this.grow(rows.length);
    this.allRows.set(rows);
    this.count = rows.length;
    this.scores.fill(0);
  }

  /** The k-th best score, counted from 1; `k` is at most `count`. */
  kthBest(k: number): number {
    if (this.selection.length < this.count) this.selection = new Float64Array(this.allScores.length);
    this.selection.set(this.scores);
    return kthScore(this.selection, this.count, k);
  }

  /** Drops the rows that score less than `floor`. */
  keep(floor: number): void {
    const { allRows, allScores, count } = this;
    let kept = 0;
    for (let i = 0; i < count; i += 1) {
      const score = allScores[i]!;
      if (score < floor) continue;
      allRows[kept] = allRows[i]!;
      allScores[kept++] = score;
    }
    this.count = kept;
  }

  private grow(length: number): void {
    const rows = new Int32Array(length);
    const scores = new Float64Array(length);
    rows.set(this.rows);
    scores.set(this.scores);
    this.allRows = rows;
    this.allScores = scores;
  }
}
