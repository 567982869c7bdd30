import type { BuiltGeneration } from "../../store/build-generation.js";
import type { GenerationManifest } from "../../store/generation-manifest.js";
import type { FoundSlice } from "../find-slices.js";
import type { InstallReport } from "./install-slices.js";

/** The report of an install: the state of each slice given, what was added, and what the lake holds now. */
export function installReport(
  generation: number,
  change: InstallReport["change"],
  found: readonly FoundSlice[],
  superseded: ReadonlySet<string>,
  installed: ReadonlyMap<string, unknown>,
  built: BuiltGeneration | undefined,
  { before, after }: { readonly before: GenerationManifest | undefined; readonly after: GenerationManifest },
): InstallReport {
  const counts = (loaded: BuiltGeneration["records"] | undefined) => ({
    added: loaded?.added ?? 0,
    replaced: loaded?.replaced.length ?? 0,
    outdated: loaded?.outdated ?? 0,
  });
  return {
    generation,
    change,
    slices: found.map(({ manifest: { name, mirrorlake } }) => ({
      root: mirrorlake.root,
      name,
      state: superseded.has(mirrorlake.root)
        ? "superseded"
        : installed.has(mirrorlake.root)
          ? "present"
          : "installed",
      records: mirrorlake.counts.records,
      raw: mirrorlake.counts.raw,
      vectors: mirrorlake.counts.vectors,
    })),
    records: counts(built?.records),
    raw: counts(built?.raw),
    before: { records: before?.liveRecords ?? 0, raw: before?.liveRaw ?? 0 },
    stray: built?.stray,
    total: { slices: after.slices.length, records: after.liveRecords, raw: after.liveRaw },
  };
}
