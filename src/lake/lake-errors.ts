import { LakeError } from "../contract/errors.js";

/** The error of every call on a closed lake. */
export function lakeClosed(lake: string): LakeError {
  return new LakeError("lake_closed", `The lake at ${lake} is closed`, {
    value: lake,
    remedy: "open it again, or close it later",
  });
}

/** The error of work that removals made incomplete. */
export function removedMeanwhile(lake: string): LakeError {
  return new LakeError("removed_meanwhile", "Records were removed from the lake while it was being read", {
    value: lake,
    remedy: "run it again",
  });
}
