import { measureRecall, type SampleShare } from "./vector/measure-recall.js";
import type { SetRecall } from "./vector/set-recall.js";
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
}

/**
 * Opens a vector set and measures its recall. Runs in worker threads, so it takes and gives plain values.
 * @throws SearchError if the set is incomplete.
 */
export async function measureSet({ dir, share }: MeasureTask): Promise<SetRecall> {
  const set = await VectorSet.open(dir, await readVectorSetManifest(dir));
  try {
    return await measureRecall(set, share);
  } finally {
    set.close();
  }
}
