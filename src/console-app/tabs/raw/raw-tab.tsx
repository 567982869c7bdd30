import type { TabProps } from "../../app.js";

/** Soon. */
export function RawTab(_props: TabProps) {
  return null;
}
