/** What a program needs to know of where it runs. */
export interface Place {
  readonly lake: string;
  readonly url: string;
  /** As an environment variable is: perhaps undefined. */
  readonly apiKey: string | undefined;
  readonly query: string;
  readonly itemId: string;
}

/** What it found there. */
export interface Findings {
  readonly ids: readonly string[];
  readonly source: string | undefined;
  readonly comments: readonly string[];
  readonly slices: number;
  /** Codes of what failed, in order. */
  readonly codes: readonly string[];
  readonly spent: string;
}
