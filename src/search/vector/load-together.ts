import type { ColumnScan } from "./codes/column-scan.js";
import type { ScanMate } from "./codes/scan-mate.js";
import { claimsOf, type LoadTask } from "./help-loading.js";
import { loadVectors, type StoredVectors } from "./load-vectors.js";
import type { ByteScores } from "./scores/byte-scores.js";
import type { SetFolder } from "./set-files.js";
import type { ByteVectors } from "./vectors.js";

/** A thread that helps to load a set, and what it is told. */
export interface LoadHelp {
  readonly mate: ScanMate;
  readonly task: LoadTask;
}

/** How another thread can help to load sets; undefined where nothing of them is in memory that threads share. */
export function helpWith(
  parts: readonly SetFolder[],
  { shared }: ByteScores,
  columns: ColumnScan | undefined,
  mate: ScanMate | undefined,
): LoadHelp | undefined {
  const coding = columns?.coding;
  return mate && coding && { mate, task: { parts, coding, bytes: shared } };
}

/**
 * Reads all vectors of a set once, for all that make something of them, together with a thread that helps. Who loaded what changes
 * nothing about it.
 * @throws RangeError if a file is too short
 */
export async function loadTogether(
  vectors: ByteVectors,
  into: readonly StoredVectors[],
  help: LoadHelp | undefined,
): Promise<void> {
  if (help !== undefined) {
    const claims = claimsOf(help.task.coding);
    help.mate.load(help.task);
    await loadVectors(vectors, into, { claims });
    if (claims.settle()) return;
  }
  await loadVectors(vectors, into);
}
