import { join } from "node:path";
import { readCertificate } from "../certificate.js";
import { KeywordSegment } from "../keyword/keyword-segment.js";
import { type IndexManifest, KEYWORD, type VectorSetName } from "../manifest.js";
import type { Turns } from "../turns.js";
import { SearchPlan } from "../vector/search-plan.js";
import { VectorFile } from "../vector/vector-file.js";
import { VectorSet } from "../vector/vector-set.js";
import { VECTOR_FILES } from "../vector/vector-set-manifest.js";
import { DownloadedVectors } from "./downloaded-vectors.js";
import { IdTable } from "./id-table.js";

/** A segment of an index that is open for search. */
export interface OpenSegment {
  /** Its first row in the index. */
  readonly first: number;
  readonly ids: IdTable;
  readonly keyword: KeywordSegment;
  /** The set that ranks; absent where no embedder of any set is at hand. */
  readonly ranked: VectorSet | undefined;
  /** Vectors of rows that came with none. */
  readonly made: VectorFile;
  readonly downloaded: DownloadedVectors;
}

/** Opens the segments of an index, to be ranked by one of its vector sets. Throws `SearchError` where one is not whole. */
export async function openSegments(
  dir: string,
  manifest: IndexManifest,
  ranking: VectorSetName | undefined,
  turns: Turns,
): Promise<OpenSegment[]> {
  const { sets } = await readCertificate(dir);
  const made = manifest.vectorSets[0]!.name;
  const segments: OpenSegment[] = [];
  let first = 0;
  for (const { name, documentCount } of manifest.segments) {
    const segment = join(dir, name);
    const recall = sets.find((certified) => certified.segment === name && certified.set === ranking);
    segments.push({
      first,
      ids: await IdTable.open(segment),
      keyword: await KeywordSegment.open(join(segment, KEYWORD)),
      ranked:
        ranking === undefined
          ? undefined
          : await VectorSet.open(join(segment, ranking), new SearchPlan(recall), turns),
      made: VectorFile.open(join(segment, made, VECTOR_FILES.vectors)),
      downloaded: await DownloadedVectors.open(segment),
    });
    first += documentCount;
  }
  return segments;
}

/** Closes the files of a segment. */
export function closeSegment({ keyword, ranked, made, downloaded }: OpenSegment): void {
  keyword.close();
  ranked?.close();
  made.close();
  downloaded.close();
}

/** The rows of a segment among ascending rows of the index, counted from the segment's first. */
export function rowsWithin({ first, ids }: OpenSegment, rows: Uint32Array): Uint32Array {
  const from = lowerBound(rows, first);
  return rows.slice(from, lowerBound(rows, first + ids.count)).map((row) => row - first);
}

function lowerBound(rows: Uint32Array, value: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
