import { measureRecall, type SampleShare } from "./vector/measure-recall.js";
import type { SetRecall } from "./vector/set-recall.js";
import { VectorSet } from "./vector/vector-set.js";
import { readVectorSetManifest } from "./vector/vector-set-manifest.js";

/** A vector set to be measured, in one thread. */
export interface MeasureTask {
  /** Its folder. */
  readonly dir: string;
  readonly segment: string;
  readonly set: string;
  readonly rows: number;
  /** Which share of the sample is looked for, of how many; all of it where absent. */
  readonly share?: SampleShare;
}

/** Opens a vector set and measures its recall. The entry point of the worker threads, so it takes and gives plain values. */
export async function measureSet({ dir, share }: MeasureTask): Promise<SetRecall> {
  const set = await VectorSet.open(dir, await readVectorSetManifest(dir));
  try {
    return await measureRecall(set, share);
  } finally {
    set.close();
  }
}
