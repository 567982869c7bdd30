import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "./defaults.js";
import { measureRecall, type ShareRecall } from "./vector/recall/measure-recall.js";
import { type SampleShare, sampleOf } from "./vector/recall/recall-sample.js";
import type { SearchStep } from "./vector/recall/set-recall.js";
import { VECTOR_FILES } from "./vector/vector-files.js";
import { VectorSet } from "./vector/vector-set.js";
import { readVectorSetManifest } from "./vector/vector-set-manifest.js";

/** Task: a vector set to measure in one thread. */
export interface MeasureTask {
  /** Its folder. */
  readonly dir: string;
  readonly segment: string;
  readonly set: string;
  readonly rows: number;
  /** Share of the sample; default: all of it. */
  readonly share?: SampleShare;
  /** Number of widths of scans to measure at least. */
  readonly least: number;
  /** Other steps to measure: those of an older certificate. */
  readonly also?: readonly SearchStep[];
  /** Whether its graph is measured, if it has one, or else its columns. */
  readonly byGraph: boolean;
}

/**
 * Opens a vector set and measures its recall. Runs in worker threads, so it takes and gives plain values.
 * @throws SearchError if the set is incomplete.
 */
export async function measureSet({
  dir,
  least,
  also,
  byGraph,
  share = { part: 0, of: 1 },
}: MeasureTask): Promise<ShareRecall> {
  const manifest = await readVectorSetManifest(dir);
  // One pass over the file scores all queries; several large sets at once would not have room for their vectors.
  const kept = manifest.count >= SEARCH_DEFAULTS.certificate.large ? 0 : manifest.count;
  const set = await VectorSet.open(dir, manifest, { byGraph, kept });
  try {
    return await measureRecall(set, sampleOf(set, await queriesOf(dir), share), least, { also });
  } finally {
    set.close();
  }
}

/** The queries that were made from the texts of a set, and rows with their words. */
async function queriesOf(dir: string) {
  const vectors = await numbersOf(join(dir, VECTOR_FILES.queries));
  if (vectors === undefined) return undefined;
  const hints = await numbersOf(join(dir, VECTOR_FILES.hints));
  return {
    vectors: new Float32Array(vectors),
    hints: hints === undefined ? undefined : new Uint32Array(hints),
  };
}

/** The bytes of a file, if there is one. */
async function numbersOf(path: string): Promise<ArrayBuffer | undefined> {
  if (!existsSync(path)) return undefined;
  const bytes = await readFile(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
