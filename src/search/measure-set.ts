import { SEARCH_DEFAULTS } from "./defaults.js";
import { measureRecall, type ShareRecall } from "./vector/recall/measure-recall.js";
import { type SampleShare, sampleOf } from "./vector/recall/recall-sample.js";
import { readSampleFiles } from "./vector/recall/sample-files.js";
import type { SearchStep } from "./vector/recall/set-recall.js";
import { VectorSet } from "./vector/vector-set.js";
import { readVectorSetManifest } from "./vector/vector-set-manifest.js";

/** Task: a vector set to measure in one thread. */
export interface MeasureTask {
  /** Its folder. */
  readonly dir: string;
  readonly segment: string;
  readonly set: string;
  readonly rows: number;
  /** Share of the sample; default: all of it. */
  readonly share?: SampleShare;
  /** Number of widths of scans to measure at least. */
  readonly least: number;
  /** Other steps to measure: those of an older certificate. */
  readonly also?: readonly SearchStep[];
  /** Whether its graph is measured, if it has one, or else its columns. */
  readonly byGraph: boolean;
  /** Where queries are counted as they are asked, in memory that threads share. */
  readonly asked?: { readonly counts: Int32Array; readonly at: number };
}

/**
 * Opens a vector set and measures its recall. Runs in worker threads, so it takes and gives plain values.
 * @throws SearchError if the set is incomplete.
 */
export async function measureSet({
  dir,
  least,
  also,
  byGraph,
  asked,
  share = { part: 0, of: 1 },
}: MeasureTask): Promise<ShareRecall> {
  const manifest = await readVectorSetManifest(dir);
  // One pass over the file scores all queries; several large sets at once would not have room for their vectors.
  const kept = manifest.count >= SEARCH_DEFAULTS.certificate.large ? 0 : manifest.count;
  const set = await VectorSet.open(dir, manifest, { byGraph, kept });
  try {
    const onAsked = (queries: number) => {
      if (asked !== undefined) Atomics.add(asked.counts, asked.at, queries);
    };
    return await measureRecall(set, sampleOf(set, await readSampleFiles(dir), share), least, {
      also,
      onAsked,
    });
  } finally {
    set.close();
  }
}
