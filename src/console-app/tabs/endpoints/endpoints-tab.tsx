import type { TabProps } from "../../app.js";

/** Soon. */
export function EndpointsTab(_props: TabProps) {
  return null;
}
