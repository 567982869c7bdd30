import { counted, formatBytes } from "../../contract/quantity.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { indexBytes } from "./index-bytes.js";
import type { InstallProgress } from "./publish-generation.js";

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

/** Tells of a rebuild of a lake from these slices, before it starts. */
export function announceRebuild(
  reason: RebuildReason,
  slices: readonly { readonly manifest: SliceManifest }[],
  onProgress: ((progress: InstallProgress) => void) | undefined,
): Rebuild {
  const manifests = slices.map(({ manifest }) => manifest);
  const sum = (kind: "records" | "raw") =>
    manifests.reduce((total, { mirrorlake }) => total + mirrorlake.counts[kind], 0);
  const [records, raw] = [sum("records"), sum("raw")];
  const { buildMs, recordMs, rawMs } = LAKE_DEFAULTS;
  const rebuild = {
    reason,
    why: REASONS[reason],
    records,
    raw,
    ms: Math.round(buildMs + records * recordMs + raw * rawMs),
    bytes: indexBytes(manifests, []),
  };
  onProgress?.({ phase: "rebuild", done: 0, total: records + raw, unit: "items", rebuild });
  return rebuild;
}

/** A sentence that says why a lake is built again and what it takes. */
export function rebuildText({ why, records, raw, ms, bytes }: Rebuild): string {
  const load = `${counted(records, "record")} and ${counted(raw, "raw item")}`;
  return `The index is built again, since ${why}: ${load}, some ${roughly(ms)}, at most ${formatBytes(bytes)} of disk`;
}

/** An estimated time, no more exact than it is. */
function roughly(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
