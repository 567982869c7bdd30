import type { InstallProgress } from "../../lake/install/publish-generation.js";
import type { Progress } from "./progress.js";

/** Label of each install phase on the progress line. */
const INSTALL_PHASES: Readonly<Record<InstallProgress["phase"], string>> = {
  verify: "verifying",
  load: "loading slices",
  records: "storing records",
  raw: "storing raw items",
  fit: "fitting the embedder",
  embed: "embedding",
  index: "indexing",
  quantize: "coding vectors",
  graph: "building vector graphs",
  certify: "measuring recall",
  publish: "publishing",
};

/** Returns a callback that shows install progress on a progress line. */
export function showInstall(progress: Progress): (report: InstallProgress) => void {
  return ({ phase, done, total, unit }) => progress.update(INSTALL_PHASES[phase], done, total, unit);
}
