import { LakeError } from "../../contract/errors.js";

/** The error of work that removals made incomplete. */
export function removedMeanwhile(lake: string): LakeError {
  return new LakeError("removed_meanwhile", "Records were removed from the lake while it was being read", {
    value: lake,
    remedy: "run it again",
  });
}
