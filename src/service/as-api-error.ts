import { ApiError, DiskError, LakeError, SearchError } from "../contract/errors.js";

/** Maps errors of lake, search and disk to a 503 (decisions.md, "Error codes"); undefined for unexpected errors. */
export function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof LakeError || error instanceof SearchError || error instanceof DiskError)
    return new ApiError("service_unavailable", { cause: error });
  return undefined;
}
