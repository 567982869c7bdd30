import { sortedRows } from "../../sorted-rows.js";

/** Rows with scores, best first. */
export interface Scored {
  readonly rows: number[];
  readonly scores: number[];
}

/** Room, in rows, beside twice those that are kept. */
const SPARE = 32;
/** The greatest number of a row. */
const LAST_ROW = 2 ** 31 - 1;

/**
 * Keeps the top `limit` of the offered rows: higher scores first, lower row numbers on ties, so that the result
 * does not depend on the order of the offers. What is better than the worst of the last selection is added; where the room ends,
 * the best are selected (Hoare's quickselect), which takes less than a heap that is in order at all times.
 */
export class TopK {
  private readonly listed: Int32Array;
  private readonly scores: Float64Array;
  private size = 0;
  /** The worst row of the last selection, which others have to be better than. */
  private worst = { row: LAST_ROW, score: Number.NEGATIVE_INFINITY };
  /** Whether rows came since. */
  private isSelected = true;

  constructor(private readonly limit: number) {
    const room = 2 * limit + SPARE;
    this.listed = new Int32Array(room);
    this.scores = new Float64Array(room);
  }

  /** The lowest score that can still be kept; -Infinity while there is room. */
  get floor(): number {
    this.select();
    return this.worst.score;
  }

  /** Offers a row with its score. */
  offer(row: number, score: number): void {
    const { worst } = this;
    if (score < worst.score || (score === worst.score && row > worst.row)) return;
    this.listed[this.size] = row;
    this.scores[this.size] = score;
    this.size += 1;
    this.isSelected = false;
    if (this.size === this.listed.length) this.select();
  }

  /** The scores of the kept rows, in unspecified order; valid until the next offer. */
  keptScores(): Float64Array {
    this.select();
    return this.scores.subarray(0, this.size);
  }

  /** The kept rows, in unspecified order. */
  rows(): Int32Array {
    this.select();
    return this.listed.subarray(0, this.size);
  }

  /** The kept rows with their scores, best first. */
  sorted(): Scored {
    const scores = this.keptScores();
    return sortedRows(this.rows(), scores, (a, b) => a - b);
  }

  /** Leaves the best, the worst of them last, where there are more than are kept. */
  private select(): void {
    const { listed, scores, limit } = this;
    if (this.isSelected) return;
    this.isSelected = true;
    if (this.size < limit) return;
    let first = 0;
    let last = this.size - 1;
    while (first < last) {
      const pivot = this.middleOf(first, (first + last) >>> 1, last);
      const score = scores[pivot]!;
      const row = listed[pivot]!;
      let left = first;
      let right = last;
      while (left <= right) {
        while (isWorse(score, row, scores[left]!, listed[left]!)) left += 1;
        while (isWorse(scores[right]!, listed[right]!, score, row)) right -= 1;
        if (left <= right) this.swap(left++, right--);
      }
      if (limit - 1 <= right) last = right;
      else if (limit - 1 >= left) first = left;
      else break;
    }
    this.size = limit;
    if (limit > 0) this.worst = { row: listed[limit - 1]!, score: scores[limit - 1]! };
  }

  /** Which of three rows is neither the best nor the worst. */
  private middleOf(a: number, b: number, c: number): number {
    const [ab, bc, ac] = [this.isWorse(a, b), this.isWorse(b, c), this.isWorse(a, c)];
    if (ab === bc) return b;
    return ab === ac ? c : a;
  }

  private isWorse(at: number, than: number): boolean {
    const { scores, listed } = this;
    return isWorse(scores[at]!, listed[at]!, scores[than]!, listed[than]!);
  }

  private swap(one: number, other: number): void {
    const { scores, listed } = this;
    const score = scores[one]!;
    scores[one] = scores[other]!;
    scores[other] = score;
    const row = listed[one]!;
    listed[one] = listed[other]!;
    listed[other] = row;
  }
}

function isWorse(score: number, row: number, thanScore: number, thanRow: number): boolean {
  return score < thanScore || (score === thanScore && row > thanRow);
}
