import type { TabProps } from "../../app.js";

/** Soon. */
export function DatasetsTab(_props: TabProps) {
  return null;
}
