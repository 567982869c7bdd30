import type { Database } from "../duckdb/database.js";
import { withCheckDatabase } from "./check-content.js";
import { SLICE_DEFAULTS } from "./defaults.js";

/**
 * Checks several slices, a few at a time, each with a database that no other uses meanwhile: the engine reads one slice while this
 * thread looks at rows of another. Slices start in their order, and none after one has failed.
 * @throws what `check` throws, for the first slice in the order that fails, when all that had begun have ended
 */
export async function checkSlices<Slice>(
  slices: readonly Slice[],
  check: (slice: Slice, database: Database) => Promise<void>,
): Promise<void> {
  const failures: (readonly [at: number, error: unknown])[] = [];
  let next = 0;
  const lane = async (database: Database) => {
    while (next < slices.length && failures.length === 0) {
      const at = next++;
      await check(slices[at]!, database).catch((error: unknown) => failures.push([at, error]));
    }
  };
  const lanes = Math.min(slices.length, SLICE_DEFAULTS.checkedAtOnce);
  await Promise.all(Array.from({ length: lanes }, () => withCheckDatabase(lane)));
  const [first] = failures.sort(([a], [b]) => a - b);
  if (first !== undefined) throw first[1];
}
