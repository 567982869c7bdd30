/** A comment that may be shown with its post or video. */
export interface SampleCandidate {
  readonly text: string;
  /** Rank by likes or replies; the highest are kept. */
  readonly rank: number;
  /** ISO 8601 time; the earlier of two with equal rank wins. */
  readonly at: string;
}

/** Maximum comments or reviews shown in a record. */
export const SAMPLE_SIZE = 5;

const MAX_LENGTH = 500;

/** Keeps the top-k comments by rank, with distinct texts: the `comment_thread` of a record. */
export class SampleComments {
  private kept: SampleCandidate[] = [];

  /** Adds a candidate. One without text, or with a text already kept, is ignored. */
  add(candidate: SampleCandidate): void {
    if (candidate.text === "" || this.kept.some(({ text }) => text === candidate.text)) return;
    this.kept.push(candidate);
    this.kept.sort(
      (a, b) => b.rank - a.rank || Date.parse(a.at) - Date.parse(b.at) || (a.text < b.text ? -1 : 1),
    );
    this.kept.length = Math.min(this.kept.length, SAMPLE_SIZE);
  }

  /** The texts, highest rank first, each cut to 500 characters; undefined if there are none. */
  texts(): string[] | undefined {
    if (this.kept.length === 0) return undefined;
    return this.kept.map(({ text }) => [...text].slice(0, MAX_LENGTH).join(""));
  }
}
