import type { SourceSlice } from "../../store/generation/load-tables.js";
import type { InstallProgress } from "./publish-generation.js";

/** Reports that slices are about to be verified. What it returns takes numbers of bytes that were, and reports them all. */
export function verifyProgress(
  slices: readonly Pick<SourceSlice, "manifest">[],
  onProgress: ((progress: InstallProgress) => void) | undefined,
): (bytes: number) => void {
  const total = slices
    .flatMap(({ manifest }) => manifest.resources)
    .reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
    onProgress?.({ phase: "verify", done, total, unit: "bytes" });
  };
  if (slices.length > 0) onBytes(0);
  return onBytes;
}
