import type { LakeClient } from "../client/open-lake.js";
import type { CliContext } from "./context.js";
import { createProgress } from "./format/progress.js";
import type { Operations } from "./operations.js";

/**
 * Warms a lake up before it is served, with a progress line. A failure is reported and ends it: what else is served may work.
 * @throws the reason of the context's signal
 */
export async function warmBeforeServing(
  lake: LakeClient,
  operations: Operations,
  context: CliContext,
): Promise<void> {
  const { signal } = context;
  const progress = createProgress(context);
  const onProgress = (done: number, total: number) => progress.update("Warming up", done, total, "searches");
  try {
    operations.warmed(await lake.warmUp({ onProgress, signal }));
  } catch (error) {
    signal.throwIfAborted();
    progress.end();
    operations.failed(error, "warm_up_failed");
  } finally {
    progress.end();
  }
}
