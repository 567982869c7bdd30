import { readFile } from "node:fs/promises";
import { UsageError } from "../contract/errors.js";
import type { LakeRow } from "../ingest/lake-row.js";

/**
 * Reads records and raw items from a file of JSON Lines. Empty lines are skipped; the rows are checked when a lake is made of them.
 * @throws UsageError `unreadable_file`, which names the line
 */
export async function readFixture(path: string): Promise<LakeRow[]> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw unreadable(path, cause.message, cause);
  });
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as LakeRow];
    } catch (cause) {
      throw unreadable(path, `line ${i + 1} is not JSON`, cause);
    }
  });
}

function unreadable(path: string, why: string, cause: unknown): UsageError {
  return new UsageError("unreadable_file", `Cannot read ${path}: ${why}`, {
    value: path,
    remedy: "Name a file of JSON Lines: a record or a raw item on each line.",
    cause,
  });
}
