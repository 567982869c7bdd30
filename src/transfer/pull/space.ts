import { PullError } from "../../contract/errors.js";
import { formatBytes } from "../../contract/quantity.js";
import { PULL_DEFAULTS } from "./defaults.js";
import type { PullPlan } from "./plan-pull.js";

/** Bytes to ask for where something is estimated to take some: as many again are to be left, up to a limit, for estimates err. */
export function withSpare(bytes: number): number {
  return bytes + Math.min(bytes, PULL_DEFAULTS.spareBytes);
}

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
