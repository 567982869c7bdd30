import { basename } from "node:path";
import { SliceError } from "../contract/errors.js";

const REFETCH = "fetch or ingest the slice again; nothing was changed";

/** Throws a SliceError that names the slice, the reason and the remedy. */
export function refuseSlice(
  code: string,
  dir: string,
  reason: string,
  options: { readonly value?: unknown; readonly remedy?: string; readonly cause?: unknown } = {},
): never {
  throw new SliceError(code, `Slice ${basename(dir)} is refused: ${reason}`, {
    value: options.value ?? dir,
    remedy: options.remedy ?? REFETCH,
    cause: options.cause,
  });
}
