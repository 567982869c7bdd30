import type { InstallProgress } from "../../lake/install/publish-generation.js";

/** What each phase of an install is called on the progress line. */
export const INSTALL_PHASES: Readonly<Record<InstallProgress["phase"], string>> = {
  verify: "verifying",
  load: "loading slices",
  records: "storing records",
  raw: "storing raw items",
  fit: "fitting the embedder",
  embed: "embedding",
  index: "indexing",
  reduce: "reducing vectors",
  quantize: "coding vectors",
  graph: "building vector graphs",
  certify: "measuring recall",
  publish: "publishing",
};
