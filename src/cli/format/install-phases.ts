import type { InstallProgress } from "../../lake/install/publish-generation.js";
import { rebuildText } from "../../lake/install/rebuild.js";
import type { Progress } from "./progress.js";

/** Label of each install phase on the progress line. */
const INSTALL_PHASES: Readonly<Record<InstallProgress["phase"], string>> = {
  rebuild: "rebuilding",
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
  merge: "merging segments",
};

/** Returns a callback that shows install progress on a progress line, and says above it why and how long a lake is built again. */
export function showInstall(progress: Progress): (report: InstallProgress) => void {
  return ({ phase, done, total, unit, rebuild }) => {
    if (rebuild !== undefined) progress.say(rebuildText(rebuild));
    else progress.update(INSTALL_PHASES[phase], done, total, unit);
  };
}
