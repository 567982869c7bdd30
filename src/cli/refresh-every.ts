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
  const failed = (event: string) => (error: unknown) => {
    if (!signal.aborted) operations.failed(error, event);
  };
  const refreshed = async () => {
    const { generation } = lake.lake;
    await lake.refresh();
    if (!warmUp || lake.lake.generation === generation) return;
    const report = await lake.warmUp({ signal }).catch(failed("warm_up_failed"));
    if (report !== undefined) operations.warmed(report);
  };
  const timer = setInterval(() => {
    refreshed().catch(failed("refresh_failed"));
  }, seconds * 1000);
  return () => clearInterval(timer);
}
