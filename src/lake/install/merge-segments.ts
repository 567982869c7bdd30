import { join } from "node:path";
import { LOCAL_VECTORS, readIndexManifest } from "../../search/index-manifest.js";
import { VECTOR_FILES } from "../../search/vector/vector-files.js";
import { readUnmerged } from "../../store/generation/base-generation.js";
import { findFileFaults, readChecksums } from "../../store/generation/checksums.js";
import type { RemovalList } from "../../store/removals/removal-list.js";
import { SEARCH_FOLDER, UNCHECKED_FILES } from "../lake-paths.js";
import { inBackground, type StepEnd } from "./background-step.js";
import { type InstallProgress, type PublishOptions, publishGeneration } from "./publish-generation.js";
import { readPublished } from "./published.js";

/** What an install merged once its items could be searched. */
export interface MergeReport {
  /** Segments of the lake before and after. */
  readonly segments: { readonly before: number; readonly after: number };
  /** Records and raw items that were written again. */
  readonly records: number;
  readonly raw: number;
  /** Why the merge ended before it was done. The lake is whole, and the next install merges instead. Absent where it was done. */
  readonly ended?: StepEnd;
}

/** The generation that is current after a merge. */
export interface Merged {
  readonly number: number;
  readonly merge: MergeReport;
}

/**
 * Merges segments of the published generation, as the policy has it, and publishes what comes of it. Answers stay the same. The published
 * generation is searched meanwhile, and stays where the merge ends early: by the signal, or by the disk. Requires the install lock.
 * @returns undefined where nothing is to be merged
 */
export async function mergeSegments(
  published: { readonly number: number; readonly removals: RemovalList },
  options: PublishOptions,
): Promise<Merged | undefined> {
  const { lake, nowMs, signal, onProgress } = options;
  const base = await readPublished(lake, { nowMs });
  if (base?.manifest === undefined) return undefined;
  const unmerged = await readUnmerged(base.dir, base.manifest);
  if (unmerged === undefined) return undefined;
  const before = base.manifest.segments.length;
  const { records, raw } = unmerged.size;
  const report = (done: number) => onProgress?.({ phase: "merge", done, total: records, unit: "records" });
  const merge = async () => {
    signal?.throwIfAborted();
    report(0);
    const { number, built } = await publishGeneration(
      {
        published: base,
        base,
        keepsVectors: await areVectorsSound(base.dir, unmerged.first, signal),
        slices: [],
        removals: published.removals,
      },
      { ...options, onProgress: indexed(report) },
    );
    report(records);
    return { number, merge: { segments: { before, after: built.manifest.segments.length }, records, raw } };
  };
  const step = await inBackground({ lake, number: base.number, signal }, merge);
  if ("done" in step) return step.done;
  const { ended } = step;
  return { number: base.number, merge: { segments: { before, after: before }, records: 0, raw: 0, ended } };
}

/** Whether the embedder's vectors of rows from a segment's first on are those that were written: damage must not get new checksums. */
async function areVectorsSound(
  dir: string,
  first: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const checksums = await readChecksums(dir);
  if (checksums === undefined) return false;
  const { segments } = await readIndexManifest(join(dir, SEARCH_FOLDER));
  let rows = 0;
  const only: string[] = [];
  for (const { name, documentCount } of segments) {
    if (rows >= first) only.push([SEARCH_FOLDER, name, LOCAL_VECTORS, VECTOR_FILES.byteVectors].join("/"));
    rows += documentCount;
  }
  return (await findFileFaults(dir, checksums, { except: UNCHECKED_FILES, only, signal })).length === 0;
}

/** Reports the records that are indexed. */
function indexed(report: (done: number) => void): (progress: InstallProgress) => void {
  return ({ phase, done }) => {
    if (phase === "index") report(done);
  };
}
