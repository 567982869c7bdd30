import { join } from "node:path";
import { readColumns } from "../filter-columns.js";
import { Segment } from "../rows/segment.js";
import { GenerationCorpus } from "./generation-corpus.js";
import {
  GENERATION_FILES,
  readGenerationManifest,
  readSliceManifests,
  rowCounts,
} from "./generation-manifest.js";
import { LaterDatabase } from "./later-database.js";
import { readPriceChanges } from "./price-changes-file.js";

/** Later than every capture. */
const NEVER_MS = Date.UTC(10_000, 0, 1);

/** Options of {@link openGeneration}. */
export interface OpenGenerationOptions {
  /** Worker threads of the database. Default: one per core. */
  readonly threads?: number;
  /** The clock's time, epoch ms: a raw item captured a day after it is a mistake, where the generation does not say. Default: none is. */
  readonly nowMs?: number;
}

/**
 * Opens a generation read-only. Any number of processes may have it open at once.
 * @throws LakeError `generation_invalid`; RangeError for files that do not match its manifest. The database is opened by the first
 * query of it.
 */
export async function openGeneration(
  dir: string,
  options: OpenGenerationOptions = {},
): Promise<GenerationCorpus> {
  const manifest = await readGenerationManifest(dir);
  const [slices, { columns, live }, changes] = await Promise.all([
    readSliceManifests(dir),
    readColumns(join(dir, GENERATION_FILES.columns), manifest, rowCounts(manifest)),
    readPriceChanges(join(dir, GENERATION_FILES.priceChanges)),
  ]);
  const segments: Segment[] = [];
  try {
    let start = { record: 0, raw: 0 };
    for (const { name, records, raw, groupsFrom } of manifest.segments) {
      const segment = await Segment.open(join(dir, GENERATION_FILES.segments, name), start, groupsFrom);
      segments.push(segment);
      if (segment.length.records !== records || segment.length.raw !== raw) {
        throw new RangeError(`Segment ${name} does not have ${records} records and ${raw} raw items`);
      }
      start = { record: start.record + records, raw: start.raw + raw };
    }
    const database = join(dir, GENERATION_FILES.database);
    const db = new LaterDatabase(database, options.threads);
    return new GenerationCorpus(
      database,
      manifest,
      slices,
      segments,
      db,
      columns,
      live,
      changes,
      options.nowMs ?? NEVER_MS,
    );
  } catch (error) {
    for (const segment of segments) segment.close();
    throw error;
  }
}
