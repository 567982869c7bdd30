import { counted, formatBytes } from "../../contract/quantity.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { currentBytes } from "../maintain/remove-unused.js";
import { indexBytes } from "./index-bytes.js";
import type { InstallProgress } from "./publish-generation.js";
import type { Published } from "./published.js";

/** Why a lake's generation is built again, each with what is said of it. */
const REASONS = {
  asked: "it was asked for",
  damaged: "the present one is damaged, or of another version of Mirrorlake",
  index: "another embedder or other graphs are asked for than it has",
  superseded: "slices go out that others supersede, or that were removed",
  growth: "more than a third of what the lake shows comes at once",
  fit: "more than a third of what its embedder was fitted to has come since",
} as const;

/** Why a lake's generation is built again from its slices, where a segment is not added. */
export type RebuildReason = keyof typeof REASONS;

/** A rebuild of a lake's generation, before it starts: why, and what it takes. */
export interface Rebuild {
  readonly reason: RebuildReason;
  /** The reason as the rest of a sentence. */
  readonly why: string;
  /** What the slices hold that are loaded, older editions included. */
  readonly records: number;
  readonly raw: number;
  /** Estimated time in ms: what two cores take. */
  readonly ms: number;
  /** Estimated size of the new generation, which stands beside the old one until readers have left that. */
  readonly bytes: number;
}

/** What {@link announceRebuild} tells, and to whom. */
export interface Announcement {
  readonly lake: string;
  readonly reason: RebuildReason;
  /** The published generation. */
  readonly published: Published;
  /** What the new one is built from. */
  readonly slices: readonly SourceSlice[];
  readonly onProgress: ((progress: InstallProgress) => void) | undefined;
}

/** Tells of a rebuild of a lake before it starts. */
export async function announceRebuild(announcement: Announcement): Promise<Rebuild> {
  const { reason, slices, onProgress } = announcement;
  const { records, raw } = countsOf(slices);
  const { buildMs, recordMs, rawMs } = LAKE_DEFAULTS;
  const rebuild = {
    reason,
    why: REASONS[reason],
    records,
    raw,
    ms: Math.round(buildMs + records * recordMs + raw * rawMs),
    bytes: await bytesToBuild(announcement),
  };
  onProgress?.({ phase: "rebuild", done: 0, total: records + raw, unit: "items", rebuild });
  return rebuild;
}

/** What a generation of slices takes: as the published one does, by its slices; where that is damaged, at most. */
async function bytesToBuild({ lake, published, slices }: Announcement): Promise<number> {
  const built = indexBytes(manifestsOf(slices), []);
  const bytes = published.manifest === undefined ? undefined : await currentBytes(lake);
  const estimated = indexBytes(manifestsOf(published.slices), []);
  return bytes === undefined || estimated === 0 ? built : Math.round((bytes * built) / estimated);
}

function manifestsOf(slices: readonly SourceSlice[]): SliceManifest[] {
  return slices.map(({ manifest }) => manifest);
}

function countsOf(slices: readonly SourceSlice[]): { readonly records: number; readonly raw: number } {
  const sum = (kind: "records" | "raw") =>
    manifestsOf(slices).reduce((total, { mirrorlake }) => total + mirrorlake.counts[kind], 0);
  return { records: sum("records"), raw: sum("raw") };
}

/** A sentence that says why a lake is built again and what it takes. */
export function rebuildText({ why, records, raw, ms, bytes }: Rebuild): string {
  const load = `${counted(records, "record")} and ${counted(raw, "raw item")}`;
  return `The index is built again, since ${why}: ${load}, some ${roughly(ms)}, and ${formatBytes(bytes)} of disk`;
}

/** An estimated time, no more exact than it is. */
function roughly(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
