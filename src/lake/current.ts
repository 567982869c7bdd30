import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { replaceFileSynced } from "../files/durable-files.js";
import { lakePaths } from "./lake-paths.js";

/**
 * Returns the number of the published generation; undefined before the first install.
 * @throws LakeError `lake_current_invalid`
 */
export async function readCurrent(lake: string): Promise<number | undefined> {
  const path = lakePaths(lake).current;
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const number = /^[1-9]\d{0,14}\n$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) {
    const { rebuildRemedy } = await import("../store/generation/rebuild-remedy.js");
    throw new LakeError("lake_current_invalid", `${path} does not name a generation`, {
      value: text.slice(0, 40),
      remedy: rebuildRemedy(lake),
    });
  }
  return number;
}

/** Publishes a generation by one durable rename; readers that open the lake afterwards get it. */
export async function publishCurrent(lake: string, number: number): Promise<void> {
  await replaceFileSynced(lakePaths(lake).current, join(lake, ".CURRENT-next"), `${number}\n`);
}
