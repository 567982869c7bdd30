import { join } from "node:path";
import { writeNewFile } from "../../files/durable-files.js";
import { shareFile, shareFolder } from "../../files/share-file.js";
import { readColumns } from "../filter-columns.js";
import type { WrittenRecords } from "../rows/written-records.js";
import { shareSegments } from "./base-generation.js";
import type { BuiltGeneration } from "./build-generation.js";
import {
  GENERATION_FILES,
  type GenerationManifest,
  readGenerationManifest,
  rowCounts,
} from "./generation-manifest.js";
import type { Loaded } from "./load-tables.js";

/** Files that depend on rows alone, beside segments and columns. */
const SHARED = [GENERATION_FILES.database, GENERATION_FILES.priceChanges, GENERATION_FILES.slices];

const NOTHING: Loaded = {
  added: 0,
  again: 0,
  revised: 0,
  addedBy: new Map(),
  replaced: [],
  outdated: 0,
  conflicts: 0,
  removed: 0,
  withdrawn: [],
  products: [],
};

/**
 * Makes a generation of the rows of another, in an empty folder: its files are hard-linked. Like `buildGeneration`, but for the search index,
 * which another embedder is to be fitted for, and with the same result.
 * @throws LakeError `generation_invalid`; DiskError
 */
export async function shareGeneration(
  from: string,
  to: string,
  onWritten: (records: WrittenRecords) => void,
): Promise<BuiltGeneration> {
  const base = await readGenerationManifest(from);
  const rows = rowCounts(base);
  const { live } = await readColumns(join(from, GENERATION_FILES.columns), base, rows);
  for (const file of SHARED) await shareFile(join(from, file), join(to, file));
  await shareFolder(join(from, GENERATION_FILES.columns), join(to, GENERATION_FILES.columns));
  await shareSegments(from, to, base.segments);
  const manifest: GenerationManifest = { ...base, grown: 0 };
  await writeNewFile(join(to, GENERATION_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  const written: WrittenRecords = {
    path: undefined,
    first: rows.records,
    count: 0,
    vectors: { slices: new Int32Array(0), positions: new Int32Array(0) },
    segments: base.segments,
    dropped: [],
    staying: live.records,
  };
  onWritten(written);
  return { manifest, records: NOTHING, raw: NOTHING, written };
}
