import { corpusHash } from "../corpus-hash.js";
import type { InstallProgress } from "../install/publish-generation.js";

/**
 * Hashes what a lake shows, and says so before: of a million items that takes some seconds.
 * @throws what {@link corpusHash} throws
 */
export async function hashShown(
  lake: string,
  options: {
    readonly onProgress?: (progress: InstallProgress) => void;
    readonly signal?: AbortSignal;
  },
): Promise<string> {
  options.onProgress?.({ phase: "verify", done: 0, total: 0, unit: "bytes" });
  return corpusHash(lake, options.signal);
}
