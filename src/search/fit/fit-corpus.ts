import type { Occurrences } from "./occurrences.js";

/** What features are fitted to. */
export interface FitCorpus {
  /** The documents' vectors, as {@link MeasureTask} describes the file. */
  readonly vectors: string;
  readonly documents: number;
  /** Of all features, in their order. */
  readonly occurrences: readonly Occurrences[];
}

/** Options of {@link fitReflective}. */
export interface FitOptions {
  /** Worker threads; 0 fits in this thread. Does not change what is fitted. */
  readonly threads: number;
  /** Told how many of the features' dimensions are fitted, or a like share of the features. */
  readonly onProgress?: (dimensions: number) => void;
  readonly signal?: AbortSignal;
}
