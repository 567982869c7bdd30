/** A comment that may be shown with its work. */
export interface SampleCandidate {
  readonly text: string;
  /** What the best are chosen by: likes, replies. */
  readonly rank: number;
  /** ISO 8601; the earlier of two of equal rank is chosen. */
  readonly at: string;
}

/** How many comments or reviews a record shows. */
export const SAMPLE_SIZE = 5;

const MAX_LENGTH = 500;

/** Keeps the best few of any number of comments, without repeating a text: the `comment_thread` of a record. */
export class SampleComments {
  private kept: SampleCandidate[] = [];

  /** Considers a comment. One without text, or with a text that is kept already, is passed over. */
  add(candidate: SampleCandidate): void {
    if (candidate.text === "" || this.kept.some(({ text }) => text === candidate.text)) return;
    this.kept.push(candidate);
    this.kept.sort(
      (a, b) => b.rank - a.rank || Date.parse(a.at) - Date.parse(b.at) || (a.text < b.text ? -1 : 1),
    );
    this.kept.length = Math.min(this.kept.length, SAMPLE_SIZE);
  }

  /** The texts, best first, each of at most 500 characters; undefined where there is none. */
  texts(): string[] | undefined {
    if (this.kept.length === 0) return undefined;
    return this.kept.map(({ text }) => [...text].slice(0, MAX_LENGTH).join(""));
  }
}
