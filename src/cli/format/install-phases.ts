import type { InstallProgress } from "../../lake/install/publish-generation.js";
import type { Progress } from "./progress.js";

/** What each phase of an install is called on the progress line. */
const INSTALL_PHASES: Readonly<Record<InstallProgress["phase"], string>> = {
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

/** Shows the progress of an install, or of what ends in one, on a command's progress line. */
export function showInstall(progress: Progress): (report: InstallProgress) => void {
  return ({ phase, done, total, unit }) => progress.update(INSTALL_PHASES[phase], done, total, unit);
}
