import { join } from "node:path";
import { counted, formatBytes } from "../../contract/quantity.js";
import type { SliceManifest } from "../../contract/slice/slice-manifest.js";
import { EMBEDDER, LOCAL_VECTORS, readIndexManifest } from "../../search/index-manifest.js";
import { GENERATION_FILES } from "../../store/generation/generation-manifest.js";
import type { SourceSlice } from "../../store/generation/load-tables.js";
import { LAKE_DEFAULTS } from "../defaults.js";
import { SEARCH_FOLDER } from "../lake-paths.js";
import { bytesOf, currentBytes } from "../maintain/remove-unused.js";
import { indexBytes } from "./index-bytes.js";
import type { InstallProgress } from "./publish-generation.js";
import type { Published } from "./published.js";

/** Why a lake's generation is built again, each with what is said of it. */
const REASONS = {
  asked: "it was asked for",
  damaged: "the present one is damaged, or of another version of Mirrorlake",
  index: "another embedder or other graphs are asked for than it has",
  superseded:
    "slices go out that others supersede, with more than a quarter of its rows, or something was removed from it",
  growth: "more than a third of the records that the lake shows come at once",
  fit: "more than a third of what its embedder was fitted to has come since",
} as const;

/** Why a lake's generation is built again from its slices, where a segment is not added. */
export type RebuildReason = keyof typeof REASONS;

/** A rebuild of a lake's generation, before it starts: why, and what it takes. */
export interface Rebuild {
  readonly reason: RebuildReason;
  /** `refit`: rows and postings stay, only the lake's embedder is refitted and makes all vectors again. */
  readonly kind: "rebuild" | "refit";
  /** The reason as the rest of a sentence. */
  readonly why: string;
  /**
   * What the slices hold that are loaded, older editions included. Of a refit: all records that are shown then, and the raw items that come;
   * on ClickHouse the records alone.
   */
  readonly records: number;
  readonly raw?: number;
  /** Estimated time in ms: what two cores take. Absent on ClickHouse. */
  readonly ms?: number;
  /**
   * Estimated size of the new generation, which stands beside the old one until readers have left that; on ClickHouse of the new vectors,
   * once, if those that stand tell.
   */
  readonly bytes?: number;
}

/** What a rebuild takes, as far as that is known. */
export type RebuildSize = Pick<Rebuild, "records" | "raw" | "ms" | "bytes">;

/** What {@link announceRebuild} tells, and to whom. */
export interface Announcement {
  readonly lake: string;
  readonly reason: RebuildReason;
  /** The published generation. */
  readonly published: Published;
  /** What the new one is built from. */
  readonly slices: readonly SourceSlice[];
  /** The slices that come, where the others' rows stay and the embedder is refitted. */
  readonly refit?: readonly SourceSlice[] | undefined;
  /** Records of the published generation that stay, where slices of it go. */
  readonly left?: number | undefined;
  readonly onProgress: ((progress: InstallProgress) => void) | undefined;
}

/** Tells of a rebuild of a lake before it starts. */
export async function announceRebuild(announcement: Announcement): Promise<Rebuild> {
  const { reason, refit, onProgress } = announcement;
  return refit === undefined
    ? tellRebuild(reason, "rebuild", await sizeOfRebuild(announcement), onProgress)
    : tellRebuild(reason, "refit", await sizeOfRefit(announcement, refit), onProgress);
}

/** Tells of a rebuild or a refit, of whatever lake, before it starts. */
export function tellRebuild(
  reason: RebuildReason,
  kind: Rebuild["kind"],
  size: RebuildSize,
  onProgress: Announcement["onProgress"],
): Rebuild {
  const [ms, bytes] = [size.ms && Math.round(size.ms), size.bytes && Math.round(size.bytes)];
  const rebuild: Rebuild = { reason, kind, why: REASONS[reason], ...size, ms, bytes };
  const total = size.records + (size.raw ?? 0);
  onProgress?.({ phase: "rebuild", done: 0, total, unit: "items", rebuild });
  return rebuild;
}

async function sizeOfRebuild(announcement: Announcement): Promise<RebuildSize> {
  const { records, raw } = countsOf(announcement.slices);
  const { buildMs, recordMs, rawMs } = LAKE_DEFAULTS;
  const ms = buildMs + records * recordMs + raw * rawMs;
  return { records, raw, ms, bytes: await bytesToBuild(announcement) };
}

/** What comes is loaded, all that is shown then is embedded, and of files the new generation shares those that stay. */
async function sizeOfRefit(
  { published, left }: Announcement,
  added: readonly SourceSlice[],
): Promise<RebuildSize> {
  const come = countsOf(added);
  const { buildMs, recordMs, rawMs, refitMs } = LAKE_DEFAULTS;
  const before = left ?? published.manifest!.liveRecords;
  const records = before + come.records;
  const ms = buildMs + before * refitMs + come.records * recordMs + come.raw * rawMs;
  const share = before === 0 ? 1 : records / before;
  return { records, raw: come.raw, ms, bytes: (await bytesToRefit(published.dir, added)) * share };
}

/** Bytes of a generation's files that one with another fit has of its own. Where nothing comes, it shares the database. */
async function bytesToRefit(dir: string, added: readonly SourceSlice[]): Promise<number> {
  const search = join(dir, SEARCH_FOLDER);
  const { segments } = await readIndexManifest(search);
  const databases = added.length === 0 ? [] : [join(dir, GENERATION_FILES.database)];
  const own = [
    ...databases,
    join(search, EMBEDDER),
    ...segments.map(({ name }) => join(search, name, LOCAL_VECTORS)),
  ];
  const bytes = await Promise.all(own.map(bytesOf));
  return bytes.reduce((sum, size) => sum + size, 0);
}

/** What a generation of slices takes: as the published one does, by its slices; where that is damaged, at most. */
async function bytesToBuild({ lake, published, slices }: Announcement): Promise<number> {
  const built = indexBytes(manifestsOf(slices), []);
  const bytes = published.manifest === undefined ? undefined : await currentBytes(lake);
  const estimated = indexBytes(manifestsOf(published.slices), []);
  return bytes === undefined || estimated === 0 ? built : (bytes * built) / estimated;
}

function manifestsOf(slices: readonly SourceSlice[]): SliceManifest[] {
  return slices.map(({ manifest }) => manifest);
}

function countsOf(slices: readonly SourceSlice[]): { readonly records: number; readonly raw: number } {
  const sum = (kind: "records" | "raw") =>
    manifestsOf(slices).reduce((total, { mirrorlake }) => total + mirrorlake.counts[kind], 0);
  return { records: sum("records"), raw: sum("raw") };
}

/** A sentence that says why a lake is built again, or its embedder refitted, and what it takes. */
export function rebuildText({ kind, why, records, raw, ms, bytes }: Rebuild): string {
  const time = ms === undefined ? "" : `, some ${roughly(ms)}`;
  const disk = bytes === undefined ? "" : `, and ${formatBytes(bytes)} of disk`;
  const takes = `${time}${disk}`;
  if (kind === "refit")
    return `The embedder is refitted, since ${why}: ${counted(records, "record")} to embed${takes}`;
  const items = raw === undefined ? "" : ` and ${counted(raw, "raw item")}`;
  return `The index is built again, since ${why}: ${counted(records, "record")}${items}${takes}`;
}

/** An estimated time, no more exact than it is. */
function roughly(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
