import { LakeError } from "../contract/errors.js";

/** What every call on a lake fails with once it is closed. */
export function lakeClosed(lake: string): LakeError {
  return new LakeError("lake_closed", `The lake at ${lake} is closed`, {
    value: lake,
    remedy: "open it again, or close it later",
  });
}
