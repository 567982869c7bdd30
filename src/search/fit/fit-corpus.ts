import type { ThreadOptions } from "../../threads/run-tasks.js";
import type { Occurrences } from "./occurrences.js";

/** Corpus to which features are fitted. */
export interface FitCorpus {
  /** File of the documents' vectors, see {@link MeasureTask}. */
  readonly vectors: string;
  readonly documents: number;
  /** Occurrences of all features, in order. */
  readonly occurrences: readonly Occurrences[];
}

/** Options of {@link fitReflective}. Threads do not change the result; 0 fits in this thread. */
export interface FitOptions extends ThreadOptions {
  /** Called with the number of dimensions fitted so far, or an equivalent share of the features. */
  readonly onProgress?: (dimensions: number) => void;
}
