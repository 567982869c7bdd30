import { z } from "zod";
import type { Clock } from "../../clock.js";
import { optionsSchema } from "../../contract/check-options.js";
import {
  CallbackOption,
  ClockOption,
  CountOption,
  EngineThreadsOption,
  FlagOption,
  LakeFolderOption,
  SignalOption,
} from "../../contract/option-schemas.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { INDEX_METHODS, type IndexMethod } from "../../search/vector/index-method.js";
import type { InstallProgress } from "./publish-generation.js";

/** Options of `installSlices`. */
export interface InstallOptions {
  /** Folder of the lake; created if absent. */
  readonly lake: string;
  /**
   * Embedder of a second vector set of all records, which uses downloaded vectors of its model where slices
   * have them. The set ranks wherever the embedder is available. Later installs into such a lake need the
   * embedder, except with `rebuild`.
   */
  readonly embedder?: Embedder;
  /** Whether the lake also gets a local vector set, from an embedder fitted to its text. Default: true. */
  readonly localSet?: boolean;
  /**
   * How vectors are searched. `scan`: by 4-bit codes. `hnsw`: by an HNSW graph in every segment of 4,096 records and more, where
   * it finds what the recall certificate asks for. `auto`: segments that a scan takes longer for, of 98,304 records at least, get a
   * graph where a trial on some of their vectors says that it serves. Default: `auto`, or `hnsw` where `graphFrom` is given.
   */
  readonly index?: IndexMethod;
  /** Least records of a segment (of at most 524,288) for graphs. Segments of fewer than 4,096 get none, whatever it says: all their vectors are scored. */
  readonly graphFrom?: number;
  readonly threads?: number;
  /**
   * Whether the lake gets files of its own, which a change in place of the folder's does not reach. Default: hard links where the file system
   * has them, which take no disk.
   */
  readonly copy?: boolean;
  /** Rebuilds the generation from the slices, even where extending it would suffice. */
  readonly rebuild?: boolean;
  /** Clock for the time of derived removals. */
  readonly clock?: Clock;
  readonly onProgress?: (progress: InstallProgress) => void;
  /** Once what comes can be searched, it ends what follows alone, as `refit` and `merge` of the report say. */
  readonly signal?: AbortSignal;
}

/** Checks {@link InstallOptions}. */
export const INSTALL_OPTIONS = optionsSchema<InstallOptions>(() => ({
  lake: LakeFolderOption,
  embedder: EmbedderOption.optional(),
  localSet: FlagOption.optional(),
  index: z.enum(INDEX_METHODS).optional(),
  graphFrom: CountOption.or(z.literal(Number.POSITIVE_INFINITY)).optional(),
  threads: EngineThreadsOption.optional(),
  copy: FlagOption.optional(),
  rebuild: FlagOption.optional(),
  clock: ClockOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));
