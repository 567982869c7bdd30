/** Rows with scores, best first. */
export interface Scored {
  readonly rows: number[];
  readonly scores: number[];
}

/**
 * Keeps the top `limit` of the offered rows: higher scores first, lower row numbers on ties, so that the result
 * does not depend on the order of the offers. A binary heap with the worst kept row on top.
 */
export class TopK {
  private readonly heapRows: Int32Array;
  private readonly scores: Float64Array;
  private size = 0;

  constructor(private readonly limit: number) {
    this.heapRows = new Int32Array(limit);
    this.scores = new Float64Array(limit);
  }

  /** The lowest score that can still be kept; -Infinity while there is room. */
  get floor(): number {
    return this.size < this.limit ? Number.NEGATIVE_INFINITY : this.scores[0]!;
  }

  /** Offers a row with its score. */
  offer(row: number, score: number): void {
    if (this.size < this.limit) {
      this.up(this.size++, row, score);
    } else if (this.limit > 0 && isWorse(this.scores[0]!, this.heapRows[0]!, score, row)) {
      this.down(row, score);
    }
  }

  /** The scores of the kept rows, in unspecified order; valid until the next offer. */
  keptScores(): Float64Array {
    return this.scores.subarray(0, this.size);
  }

  /** The kept rows, in unspecified order. */
  rows(): Int32Array {
    return this.heapRows.subarray(0, this.size);
  }

  /** The kept rows with their scores, best first. It keeps none of them: call it last. */
  sorted(): Scored {
    const rows = new Array<number>(this.size);
    const scores = new Array<number>(this.size);
    while (this.size > 0) {
      const last = --this.size;
      rows[last] = this.heapRows[0]!;
      scores[last] = this.scores[0]!;
      this.down(this.heapRows[last]!, this.scores[last]!);
    }
    return { rows, scores };
  }

  private up(at: number, row: number, score: number): void {
    let hole = at;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (!isWorse(score, row, this.scores[parent]!, this.heapRows[parent]!)) break;
      this.move(parent, hole);
      hole = parent;
    }
    this.set(hole, row, score);
  }

  private down(row: number, score: number): void {
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.size) break;
      const right = child + 1;
      if (
        right < this.size &&
        isWorse(this.scores[right]!, this.heapRows[right]!, this.scores[child]!, this.heapRows[child]!)
      )
        child = right;
      if (!isWorse(this.scores[child]!, this.heapRows[child]!, score, row)) break;
      this.move(child, hole);
      hole = child;
    }
    this.set(hole, row, score);
  }

  private move(from: number, to: number): void {
    this.set(to, this.heapRows[from]!, this.scores[from]!);
  }

  private set(at: number, row: number, score: number): void {
    this.heapRows[at] = row;
    this.scores[at] = score;
  }
}

function isWorse(score: number, row: number, thanScore: number, thanRow: number): boolean {
  return score < thanScore || (score === thanScore && row > thanRow);
}
