import { checkOptions } from "../contract/check-options.js";
import type { LakeRow } from "../ingest/lake-row.js";
import { VirtualClock } from "../virtual-clock.js";
import { TESTING_DEFAULTS } from "./defaults.js";
import { readFixture } from "./fixture-file.js";
import { contentOf } from "./lake-content.js";
import { LakeOnDisk } from "./lake-on-disk.js";
import { openTestLake, type TestLake } from "./test-lake.js";
import { TEST_LAKE_OPTIONS, TEST_STATE, type TestLakeOptions, type TestState } from "./test-lake-options.js";

/**
 * Creates a lake in memory, with its service, in milliseconds: `await createTestLake({ records: [{ platform: "forum", lang: "en",
 * text: "…" }] })`. It ranks, charges and fails as an installed lake of the same rows does. Clock, request ids and keys come from
 * the seed, so that two runs give the same bytes. Nothing is written to disk, and DuckDB is not loaded, until SQL, an export or the
 * list of slices is asked for.
 * @throws IngestError `row_invalid`
 * @throws UsageError `invalid_options`, `invalid_amount`, `unreadable_file`
 */
export async function createTestLake(options: TestLakeOptions = {}): Promise<TestLake> {
  return (await prepareTestLake(options))();
}

/**
 * Prepares the content of test lakes once, for any number of them: each call of the result opens one in its first state, in a few
 * milliseconds.
 * @throws as {@link createTestLake}
 */
export async function prepareTestLake(
  options: TestLakeOptions = {},
): Promise<(state?: TestState) => Promise<TestLake>> {
  checkOptions(TEST_LAKE_OPTIONS, options, "createTestLake");
  const { records = [], raw = [], file, platforms = [], vectorModel, ...state } = options;
  const rows: LakeRow[] = [...records, ...raw, ...(file === undefined ? [] : await readFixture(file))];
  const startMs = new VirtualClock(state.now ?? newestCapture(rows) ?? TESTING_DEFAULTS.now).now();
  const capturedAt = new Date(startMs).toISOString();
  const content = await contentOf(rows, { platforms, vectorModel, capturedAt });
  const disk = new LakeOnDisk(content);
  return (other = {}) => {
    checkOptions(TEST_STATE, other, "createTestLake");
    const start = other.now === undefined ? startMs : new VirtualClock(other.now).now();
    return openTestLake(content, disk, { ...state, ...other }, start);
  };
}

/** The newest capture time in rows, epoch ms; undefined if none has one. Values that are no times are refused later. */
function newestCapture(rows: readonly LakeRow[]): number | undefined {
  let newest: number | undefined;
  for (const row of rows) {
    const given = "resource" in row ? row.captured_at : row.prov?.ts;
    const ms = Date.parse(given ?? "");
    if (Number.isFinite(ms) && ms > (newest ?? Number.NEGATIVE_INFINITY)) newest = ms;
  }
  return newest;
}
