import { publishCurrent } from "../current.js";
import { lakePaths } from "../lake-paths.js";
import { newestGeneration } from "../missing-current.js";
import { readRemovals } from "../removals/removals-file.js";
import { addDerived, keepRemovals } from "../removals/resolve-removals.js";
import { unmarkFirstInstall } from "./first-install.js";

/**
 * Publishes the newest complete generation of a lake that has no CURRENT, and returns its number; undefined if there is none. What
 * follows from the removals is derived first, since some may have come when no generation was known. Requires the install lock.
 * @throws LakeError `removals_corrupt`, `removals_missing`; the signal's reason
 */
export async function adoptNewest(
  lake: string,
  nowMs: number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const number = await newestGeneration(lake);
  if (number === undefined) return undefined;
  const list = await readRemovals(lake);
  const note = { at: new Date(nowMs).toISOString(), reason: "follows from what was removed before" };
  await addDerived(lake, list, { generation: lakePaths(lake).generation(number) }, note, { signal });
  await keepRemovals(lake, list, { current: number, signal });
  await unmarkFirstInstall(lake);
  await publishCurrent(lake, number);
  return number;
}
