import { measureRecall } from "./vector/measure-recall.js";
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
}

/** Opens a vector set and measures its recall. The entry point of the worker threads, so it takes and gives plain values. */
export async function measureSet({ dir }: MeasureTask): Promise<SetRecall> {
  const set = await VectorSet.open(dir, await readVectorSetManifest(dir));
  try {
    return await measureRecall(set);
  } finally {
    set.close();
  }
}
