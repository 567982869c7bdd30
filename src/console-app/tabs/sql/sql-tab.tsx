import type { TabProps } from "../../app.js";

/** Soon. */
export function SqlTab(_props: TabProps) {
  return null;
}
