import { clearInterval, setInterval } from "node:timers";
import type { LakeClient } from "../client/open-lake.js";
import type { Operations } from "./operations.js";

/**
 * Refreshes the lake every so many seconds, to serve new generations; each is warmed up where the first one was. A failure is printed and
 * retried at the next interval.
 * @returns what ends it
 */
export function refreshEvery(
  { refresh: seconds, warmUp = false }: { readonly refresh: number; readonly warmUp?: boolean },
  lake: LakeClient,
  operations: Operations,
  signal: AbortSignal,
): () => void {
  if (seconds === 0) return () => {};
  const refreshed = async () => {
    const { generation } = lake.lake;
    await lake.refresh();
    if (warmUp && lake.lake.generation !== generation) operations.warmed(await lake.warmUp({ signal }));
  };
  const timer = setInterval(() => {
    refreshed().catch((error: unknown) => {
      if (!signal.aborted) operations.failed(error, "refresh_failed");
    });
  }, seconds * 1000);
  return () => clearInterval(timer);
}
