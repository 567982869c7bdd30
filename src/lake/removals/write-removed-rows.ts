import { join } from "node:path";
import { replaceFileSynced } from "../../files/durable-files.js";
import { makeTemporaryFolder } from "../../files/temporary-folder.js";
import type { RemovedRows } from "../../store/removals/removed-rows.js";
import { lakePaths } from "../lake-paths.js";
import { textOfRows } from "./removals-file.js";

/** Stores which rows a generation hides in a state of the removals. */
export async function writeRemovedRows(
  lake: string,
  generation: number,
  digest: string,
  rows: RemovedRows,
): Promise<void> {
  const { removed, removedRows } = lakePaths(lake);
  // Readers derive them too, and at once: a name of its own for each, which is tidied up after a kill.
  const temporary = await makeTemporaryFolder(removed);
  try {
    const file = join(temporary.path, "rows.json");
    await replaceFileSynced(removedRows(generation, digest), file, textOfRows(rows));
  } finally {
    await temporary.remove();
  }
}
