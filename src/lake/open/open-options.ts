import { optionsSchema } from "../../contract/check-options.js";
import { CallbackOption, EngineThreadsOption, FlagOption } from "../../contract/option-schemas.js";
import { EmbedderOption } from "../../search/embed/embedder-option.js";
import type { LakeOpenOptions } from "./open-view.js";

/** Schema of {@link LakeOpenOptions}. */
export const OPEN_OPTIONS = optionsSchema<LakeOpenOptions>(() => ({
  embedder: EmbedderOption.optional(),
  exact: FlagOption.optional(),
  readOnly: FlagOption.optional(),
  onNotice: CallbackOption.optional(),
  threads: EngineThreadsOption.optional(),
}));
