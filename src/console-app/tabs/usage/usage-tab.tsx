import type { TabProps } from "../../app.js";

/** Soon. */
export function UsageTab(_props: TabProps) {
  return null;
}
