import { z } from "zod";
import { optionsSchema } from "../../contract/check-options.js";
import {
  CallbackOption,
  EngineThreadsOption,
  FlagOption,
  PathOption,
  SignalOption,
  TextOption,
} from "../../contract/option-schemas.js";
import type { InstallOptions } from "../../lake/install/install-options.js";
import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import { type TransferOptions, transferShape } from "./open-source.js";
import type { PullFilter } from "./pull-filter.js";
import type { TransferProgress } from "./transfer-meter.js";

/** Progress of a pull: the transfer of files, then the install. */
export type PullProgress =
  | ({ readonly phase: "download" } & TransferProgress)
  | { readonly phase: "install"; readonly install: InstallProgress };

/** Options of `pullSlices`. */
export interface PullOptions
  extends TransferOptions,
    Pick<InstallOptions, "lake" | "embedder" | "threads" | "signal"> {
  readonly filter?: PullFilter;
  /** Only slices of these roots. */
  readonly roots?: readonly string[];
  /** Whether too little free space is an error, default true. The size of the lake's indexes is an estimate. */
  readonly checkSpace?: boolean;
  readonly onProgress?: (progress: PullProgress) => void;
}

/** Checks {@link PullOptions}. */
export const PULL_OPTIONS = optionsSchema<PullOptions>(() => ({
  ...transferShape(),
  lake: PathOption,
  filter: z
    .strictObject({
      domain: z.string().optional(),
      platform: z.string().optional(),
      lang: z.string().optional(),
      from: z.string().optional(),
      to: z.string().optional(),
    })
    .optional(),
  roots: z.array(TextOption).optional(),
  checkSpace: FlagOption.optional(),
  embedder: EmbedderOption.optional(),
  threads: EngineThreadsOption.optional(),
  onProgress: CallbackOption.optional(),
  signal: SignalOption.optional(),
}));
