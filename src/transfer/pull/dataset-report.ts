import { join } from "node:path";
import type { PulledDataset } from "../../contract/lake/pulled-datasets.js";
import { REJECTS_FILE } from "../../ingest/defaults.js";
import type { IngestReport } from "../../ingest/ingest-report.js";
import type { InstallReport } from "../../lake/install/install-report.js";
import { lakePaths } from "../../lake/lake-paths.js";
import type { WrittenSlice } from "../../staging/publish-slice.js";

/** What `planDataset` says that a pull would do. */
export interface DatasetPlan {
  readonly source: string;
  /** Commit of the dataset, on a Hugging Face hub. */
  readonly revision?: string | undefined;
  /** Whether it is a published folder of slices, for `pullSlices`; then the rest says nothing. */
  readonly hasSlices: boolean;
  /** Files that the dataset has, and whether the mapping reads them. `bytes` where the host says them. */
  readonly files: readonly {
    readonly path: string;
    readonly bytes?: number | undefined;
    readonly wanted: boolean;
  }[];
}

/** What a pull of a dataset took the place of. */
export interface ReplacedSlices {
  /** Commit that they were of, where the host has such. */
  readonly revision?: string | undefined;
  readonly slices: readonly { readonly root: string; readonly name: string }[];
  /** Items that they held. */
  readonly records: number;
  readonly raw: number;
}

/** Result of `pullDataset`. */
export interface DatasetReport extends Omit<DatasetPlan, "hasSlices"> {
  /** Bytes of files that came over the network. */
  readonly bytesFetched: number;
  /** What became of the rows. The slices are in `out`, or in the lake's own folder of slices; `rejectsFile` is absent without `out`. */
  readonly ingest: Omit<IngestReport, "rejectsFile"> & Partial<Pick<IngestReport, "rejectsFile">>;
  /** Slices of the last pull of this dataset that are no more; absent if there are none. */
  readonly replaced?: ReplacedSlices | undefined;
  /** Absent where no row became a record or a raw item. */
  readonly install?: InstallReport | undefined;
}

/** The report of an ingestion, of which the slices are where they stay. */
export function keptReport(
  { rejectsFile: _, ...report }: IngestReport,
  lake: string,
  out: string | undefined,
): DatasetReport["ingest"] {
  const place = out ?? lakePaths(lake).slices;
  return {
    ...report,
    out: place,
    rejectsFile: out === undefined ? undefined : join(out, REJECTS_FILE),
    slices: report.slices.map((slice) => ({ ...slice, dir: join(place, slice.root) })),
  };
}

/** What of the slices of the last pull is not among the new ones. */
export function replacedBy(
  slices: readonly WrittenSlice[],
  before: PulledDataset | undefined,
): ReplacedSlices | undefined {
  const roots = new Set(slices.map(({ root }) => root));
  const gone = (before?.slices ?? []).filter(({ mirrorlake }) => !roots.has(mirrorlake.root));
  if (gone.length === 0) return undefined;
  const sum = (of: "records" | "raw") => gone.reduce((n, { mirrorlake }) => n + mirrorlake.counts[of], 0);
  return {
    revision: before?.revision ?? undefined,
    slices: gone.map(({ name, mirrorlake }) => ({ root: mirrorlake.root, name })),
    records: sum("records"),
    raw: sum("raw"),
  };
}
