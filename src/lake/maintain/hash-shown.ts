import { hashCorpus } from "../corpus-hash.js";
import type { InstallProgress } from "../install/publish-generation.js";

/**
 * Hashes what a lake shows, and says so before: of a million items that takes some seconds.
 * @throws what `corpusHash` throws
 */
export async function hashShown(
  lake: string,
  options: {
    readonly onProgress?: (progress: InstallProgress) => void;
    readonly signal?: AbortSignal;
  },
): Promise<string> {
  return hashCorpus(lake, {
    onRows: (done, total) => options.onProgress?.({ phase: "verify", done, total, unit: "items" }),
    signal: options.signal,
  });
}
