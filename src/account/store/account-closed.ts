import { LakeError } from "../../contract/errors.js";

/** The error of work on a store that is closed. */
export function accountClosed(path: string): LakeError {
  return new LakeError("account_closed", "The account is closed", {
    value: path,
    remedy: "Open the lake again before calling it.",
  });
}
