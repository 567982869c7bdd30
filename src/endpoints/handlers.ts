import type { Handler } from "./handler.js";
import { rawComments } from "./raw-comments.js";
import { rawVideo } from "./raw-video.js";
import { search } from "./search.js";
import { slices } from "./slices.js";

/** The handler of every operation that a catalogue row may name. */
export const HANDLERS: Readonly<Record<string, Handler>> = {
  search,
  "raw-video": rawVideo,
  "raw-comments": rawComments,
  slices,
};
