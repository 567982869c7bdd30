import { LakeError } from "../../contract/errors.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";

/** Refuses tables of a newer version. @throws LakeError `cluster_newer_format` */
export function refuseNewer(version: number | undefined): void {
  if (version === undefined || version <= CLICKHOUSE_DEFAULTS.schemaVersion) return;
  throw new LakeError("cluster_newer_format", `The lake's tables have version ${version}`, {
    value: version,
    remedy: "Update mirrorlake.",
  });
}

/**
 * Refuses tables of an older version than is needed; default: than those that can say what was removed.
 * @throws LakeError `cluster_older_format`
 */
export function refuseOlder(
  version: number | undefined,
  needed: number = CLICKHOUSE_DEFAULTS.readableVersion,
): void {
  if (version === undefined || version >= needed) return;
  throw new LakeError("cluster_older_format", `The lake's tables have version ${version}`, {
    value: version,
    remedy: "Bring them up to date: mirrorlake cluster init --lake <address>.",
  });
}
