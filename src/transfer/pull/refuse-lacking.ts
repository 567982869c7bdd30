import { PullError } from "../../contract/errors.js";
import { counted, formatCount } from "../../contract/quantity.js";
import type { SliceSource } from "../source/slice-source.js";
import type { SelectedSlices } from "./select-slices.js";

/** Checks that a source has every pinned slice but those of which removals left nothing. @throws PullError `lock_unsatisfied` */
export function refuseLacking(source: SliceSource, roots: readonly string[], chosen: SelectedSlices): void {
  const had = new Set([...chosen.wanted, ...chosen.present, ...chosen.removed].map(({ root }) => root));
  const lacking = roots.filter((root) => !had.has(root));
  if (lacking.length === 0) return;
  throw new PullError(
    "lock_unsatisfied",
    `${source.name} does not have ${formatCount(lacking.length)} of ${counted(roots.length, "pinned slice")}, ${lacking[0]!.slice(0, 12)} among them`,
    {
      value: lacking,
      remedy: "name a source that has them: mirrorlake sync --source <address, folder or .zip>",
    },
  );
}
