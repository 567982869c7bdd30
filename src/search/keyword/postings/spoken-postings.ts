import type { PostingList } from "./posting-list.js";

/** The postings of a term in documents of some languages: in those of others the term is another word. */
export class SpokenPostings implements PostingList {
  private sums = new Int32Array(0);

  /**
   * @param languages language number of each row of the segment
   * @param spoken by language number: 1 for those whose documents count
   */
  constructor(
    private readonly list: PostingList,
    private readonly languages: Uint16Array,
    private readonly spoken: Uint8Array,
  ) {}

  rewind(): void {
    this.list.rewind();
  }

  read(end: number, rows: Int32Array, frequencies: Int32Array): number {
    const { languages, spoken } = this;
    const count = this.list.read(end, rows, frequencies);
    let kept = 0;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      if (spoken[languages[row]!] === 0) continue;
      rows[kept] = row;
      frequencies[kept++] = frequencies[i]!;
    }
    return kept;
  }

  lookUp(targets: Int32Array, sums: Int32Array): void {
    const { languages, spoken } = this;
    if (this.sums.length < targets.length) this.sums = new Int32Array(targets.length * 2);
    const own = this.sums.subarray(0, targets.length);
    own.fill(0);
    this.list.lookUp(targets, own);
    for (let i = 0; i < targets.length; i += 1)
      if (own[i] !== 0 && spoken[languages[targets[i]!]!] !== 0) sums[i]! += own[i]!;
  }
}
