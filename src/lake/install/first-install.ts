import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../../files/durable-files.js";
import { makeFolder } from "../../files/make-folder.js";
import { exists } from "../../files/process-lock.js";
import { lakePaths } from "../lake-paths.js";
import { sliceRoots } from "../missing-current.js";

/**
 * Marks a lake as being at its first install. While the mark is there, slices without a generation are what a killed first install
 * placed, and the next install does without them; otherwise they are those of a lake that lost its generations.
 */
export async function markFirstInstall(lake: string): Promise<void> {
  const { firstInstall } = lakePaths(lake);
  // Slices that were there before are no leftovers.
  if ((await sliceRoots(lake)).length > 0) return;
  await makeFolder(dirname(firstInstall));
  await (await open(firstInstall, "a")).close();
  await syncFolder(dirname(firstInstall));
}

/** Removes the mark of {@link markFirstInstall}, if there is one. */
export async function unmarkFirstInstall(lake: string): Promise<void> {
  const { firstInstall } = lakePaths(lake);
  if (!(await exists(firstInstall))) return;
  await rm(firstInstall, { force: true });
  await syncFolder(dirname(firstInstall));
}
