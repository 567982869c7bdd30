import type { PostingList } from "../postings/posting-list.js";
import type { ScoreAccumulator } from "./score-accumulator.js";

/** Rows scored at a time: they fit in a core's cache; a multiple of 32. */
export const WINDOW = 16_384;

/** Scores of a window of consecutive rows of a segment, accumulated term by term. */
export class WindowScores {
  private readonly scores = new Float64Array(WINDOW);
  private readonly touched = new Uint32Array(WINDOW / 32);
  private readonly rows = new Int32Array(WINDOW);
  private readonly frequencies = new Int32Array(WINDOW);
  private readonly sums = new Int32Array(WINDOW);
  private readonly merged = new Int32Array(WINDOW);

  /**
   * Adds the scores of one term, or of several alternatives that count as one, to the window's rows (`start` to
   * before `end` in the segment): `gain` · frequency / (frequency + norm). Norms are indexed by row over all
   * segments; the segment's begin at `first`.
   * @returns the number of rows that contain the term
   */
  add(
    lists: readonly PostingList[],
    gain: number,
    { start, end, first, norms }: { start: number; end: number; first: number; norms: Float32Array },
  ): number {
    const { rows, frequencies, scores, touched } = this;
    const count = lists.length === 1 ? lists[0]!.read(end, rows, frequencies) : this.merge(lists, start, end);
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      const at = row - start;
      const frequency = frequencies[i]!;
      scores[at]! += (gain * frequency) / (frequency + norms[first + row]!);
      touched[at >>> 5]! |= 1 << (at & 31);
    }
    return count;
  }

  /**
   * Moves the rows that score at least `floor` and pass the filter (a bitmap of all rows; default: all) to the
   * accumulator, ascending, and empties the window. `start` is the window's first row over all segments.
   */
  collect(found: ScoreAccumulator, start: number, floor: number, bits: Uint32Array | undefined): void {
    const { scores, touched } = this;
    const shift = start & 31;
    for (let word = 0; word < touched.length; word += 1) {
      let rest = touched[word]!;
      if (rest === 0) continue;
      touched[word] = 0;
      let allowed = -1;
      if (bits !== undefined) {
        const at = (start >>> 5) + word;
        allowed = bits[at]! >>> shift;
        if (shift !== 0) allowed |= (bits[at + 1] ?? 0) << (32 - shift);
      }
      while (rest !== 0) {
        const low = rest & -rest;
        const at = (word << 5) + 31 - Math.clz32(low);
        const score = scores[at]!;
        scores[at] = 0;
        if (score >= floor && (allowed & low) !== 0) found.push(start + at, score);
        rest ^= low;
      }
    }
  }

  /** Merges the postings of several terms into one list, in unspecified order. */
  private merge(lists: readonly PostingList[], start: number, end: number): number {
    const { rows, frequencies, sums, merged } = this;
    let count = 0;
    for (const list of lists) {
      const read = list.read(end, rows, frequencies);
      for (let i = 0; i < read; i += 1) {
        const at = rows[i]! - start;
        const sum = sums[at]!;
        if (sum === 0) merged[count++] = at;
        sums[at] = sum + frequencies[i]!;
      }
    }
    for (let i = 0; i < count; i += 1) {
      const at = merged[i]!;
      rows[i] = at + start;
      frequencies[i] = sums[at]!;
      sums[at] = 0;
    }
    return count;
  }
}
