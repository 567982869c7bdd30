import { checkOptions } from "../contract/check-options.js";
import { UsageError } from "../contract/errors.js";
import type { LakeRow } from "../ingest/lake-row.js";
import { VirtualClock } from "../virtual-clock.js";
import { cachedLakeOfRows, cachedLakeOfSlices, isFolder } from "./cached-lake.js";
import { TESTING_DEFAULTS } from "./defaults.js";
import { readFixture } from "./fixture-file.js";
import { FolderContent } from "./folder-content.js";
import { contentOf } from "./lake-content.js";
import { MemoryContent } from "./memory-content.js";
import { openTestLake, type TestLake } from "./test-lake.js";
import { TEST_LAKE_OPTIONS, TEST_STATE, type TestLakeOptions, type TestState } from "./test-lake-options.js";

/**
 * Creates a lake, with its service, in memory and in milliseconds: `await createTestLake({ records: [{ platform: "forum", lang: "en",
 * text: "…" }] })`. It ranks, charges and fails as an installed lake of the same rows does. Clock, request ids and keys come from
 * the seed, so that two runs give the same bytes. Nothing is written to disk, and DuckDB is not loaded, until SQL, an export or the
 * list of slices is asked for. With `folder`, or of slices, the lake is on disk, and nothing of its state is written there.
 * @throws IngestError `row_invalid`
 * @throws UsageError `invalid_options`, `invalid_amount`, `unreadable_file`
 * @throws LakeError `slices_not_found`; SliceError for a slice that is not valid
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
  const { records = [], raw = [], file, folder, platforms = [], vectorModel, ...state } = options;
  const givenMs = state.now === undefined ? undefined : new VirtualClock(state.now).now();
  const opener =
    (content: MemoryContent | FolderContent, startMs: () => number | Promise<number>) =>
    (other: TestState = {}) => {
      checkOptions(TEST_STATE, other, "createTestLake");
      const { now } = other;
      const start = now === undefined ? startMs : () => new VirtualClock(now).now();
      return openTestLake(content, { ...state, ...other }, start);
    };
  if (file !== undefined && (await isFolder(file))) {
    refuseBeside(file, { records, raw, platforms, vectorModel });
    const content = new FolderContent((cache) => cachedLakeOfSlices(file, cache), folder);
    return opener(content, () => givenMs ?? content.asOfMs());
  }
  const rows: LakeRow[] = [
    ...taken(records),
    ...taken(raw),
    ...(file === undefined ? [] : await readFixture(file)),
  ];
  const startMs = givenMs ?? newestCapture(rows) ?? Date.parse(TESTING_DEFAULTS.now);
  const capturedAt = new Date(startMs).toISOString();
  if (folder === undefined) {
    const content = new MemoryContent(await contentOf(rows, { platforms, vectorModel, capturedAt }));
    return opener(content, () => startMs);
  }
  const lakeOptions = { capturedAt, platforms: [...platforms], vectorModel, title: "test lake" };
  const made = { ...lakeOptions, clock: { now: () => startMs } };
  const content = new FolderContent((cache) => cachedLakeOfRows(rows, made, cache), folder);
  return opener(content, () => startMs);
}

/** The rows of a list, or of a source that may use one object for all of its rows. */
function taken(rows: Iterable<LakeRow>): readonly LakeRow[] {
  return Array.isArray(rows) ? rows : Array.from(rows, (row) => structuredClone(row));
}

/** Slices are a whole lake: rows beside them would be lost. */
function refuseBeside(file: string, others: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    throw new UsageError("invalid_options", `createTestLake: ${name} is given beside the slices of ${file}`, {
      value: name,
      remedy: `Leave ${name} out, or name a file of JSON Lines.`,
    });
  }
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
