import type { BuildProgress } from "../../search/build-index.js";
import type { InstallProgress } from "./publish-generation.js";

const UNITS: Partial<Record<BuildProgress["phase"], InstallProgress["unit"]>> = {
  fit: "dimensions",
  certify: "questions",
};

/** The progress of an index's build, as an install tells it. `records`: how many there are in phases that count records. */
export function indexProgress({ phase, done, total }: BuildProgress, records: number): InstallProgress {
  return { phase, done, total: total ?? records, unit: UNITS[phase] ?? "records" };
}
