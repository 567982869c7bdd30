import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import {
  PULLED_FORMAT_VERSION,
  type PulledDataset,
  PulledDatasets,
} from "../contract/lake/pulled-datasets.js";
import { firstRule } from "../contract/rule-text.js";
import { replaceFileSynced } from "../files/durable-files.js";
import { lakePaths } from "./lake-paths.js";

/** What tells one pulled dataset of a lake from another. */
export type PulledKey = Pick<PulledDataset, "source" | "adapter">;

/**
 * What the last pull of a dataset brought into a lake; undefined where there was none.
 * @throws LakeError `datasets_invalid`, `lake_newer_format`
 */
export async function lastPulled(lake: string, key: PulledKey): Promise<PulledDataset | undefined> {
  return (await readAll(lake)).find((one) => isOf(one, key));
}

/**
 * Remembers what a pull brought, in the place of what the last one of the same dataset did. Requires the pull lock.
 * @throws LakeError `datasets_invalid`, `lake_newer_format`
 */
export async function rememberPulled(lake: string, pulled: PulledDataset): Promise<void> {
  const others = (await readAll(lake)).filter((one) => !isOf(one, pulled));
  const all: PulledDatasets = { formatVersion: PULLED_FORMAT_VERSION, datasets: [...others, pulled] };
  const text = `${JSON.stringify(all, null, 1)}\n`;
  await replaceFileSynced(lakePaths(lake).datasets, join(lake, ".datasets-next"), text);
}

function isOf(one: PulledKey, { source, adapter }: PulledKey): boolean {
  return one.source === source && one.adapter === adapter;
}

async function readAll(lake: string): Promise<readonly PulledDataset[]> {
  const path = lakePaths(lake).datasets;
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw invalid(path, (cause as Error).message, cause);
  }
  const version = (json as { formatVersion?: unknown } | null)?.formatVersion;
  if (typeof version === "number" && version > PULLED_FORMAT_VERSION)
    throw new LakeError(
      "lake_newer_format",
      `${path} has format version ${version}, this library reads up to ${PULLED_FORMAT_VERSION}`,
      { value: version, remedy: "update mirrorlake" },
    );
  const parsed = PulledDatasets.safeParse(json);
  if (parsed.success) return parsed.data.datasets;
  throw invalid(path, firstRule(parsed.error, "the file"), parsed.error);
}

function invalid(path: string, reason: string, cause: unknown): LakeError {
  return new LakeError("datasets_invalid", `${path} is not valid: ${reason}`, {
    value: path,
    remedy:
      "take it from a backup; or delete it: the next pull of each dataset then stands beside what the lake has of it",
    cause,
  });
}
