import type { TabProps } from "../../app.js";

/** Soon. */
export function KeysTab(_props: TabProps) {
  return null;
}
