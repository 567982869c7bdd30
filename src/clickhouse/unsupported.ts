import { LakeError } from "../contract/errors.js";

/** The error of what a lake on ClickHouse does not have. @param what as the subject of a sentence: `SQL queries` */
export function clusterUnsupported(what: string, value: unknown, remedy: string): LakeError {
  return new LakeError("cluster_unsupported", `${what} cannot be had on a lake on ClickHouse`, {
    value,
    remedy,
  });
}
