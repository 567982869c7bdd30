import { PullError } from "../../contract/errors.js";
import { formatBytes } from "../../contract/quantity.js";
import type { PullPlan } from "./plan-pull.js";

/** @throws PullError `no_space` if a pull needs more space than is free */
export function refuseTooLarge(
  { source, bytesFree, bytesNeeded }: Pick<PullPlan, "source" | "bytesFree" | "bytesNeeded">,
  lake: string,
): void {
  if (bytesFree >= bytesNeeded) return;
  throw new PullError(
    "no_space",
    `To pull from ${source} takes about ${formatBytes(bytesNeeded)}, and ${formatBytes(bytesFree)} are free at ${lake}`,
    {
      value: bytesNeeded,
      remedy:
        "free some space, narrow the filter, put the lake on another disk; or go on all the same: --no-space-check",
    },
  );
}
