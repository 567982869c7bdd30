import { constants, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { RowSet } from "../../contract/lake/row-set.js";
import { shareFolder } from "../../files/share-file.js";
import { type ColumnValues, readColumns } from "../filter-columns.js";
import {
  GENERATION_FILES,
  type GenerationManifest,
  readGenerationManifest,
  rowCounts,
} from "./generation-manifest.js";
import type { Loaded } from "./load-tables.js";
import { type SegmentSize, segmentsThatStay, segmentsThatStayAtFirst } from "./merge-policy.js";
import type { PriceChange } from "./price-changes.js";
import { readPriceChanges } from "./price-changes-file.js";
import { segmentRows } from "./segment-rows.js";

/** A generation that is extended. */
export interface BaseGeneration {
  readonly dir: string;
  readonly changes: readonly PriceChange[];
  readonly manifest: GenerationManifest;
  readonly columns: ColumnValues;
  readonly live: { readonly records: RowSet; readonly raw: RowSet };
}

/** Reads what a new generation takes over of its base, and copies the base's database, which will grow. */
export async function readBase(from: string, to: string): Promise<BaseGeneration> {
  const manifest = await readGenerationManifest(from);
  const database = GENERATION_FILES.database;
  await copyFile(join(from, database), join(to, database), constants.COPYFILE_FICLONE);
  return {
    dir: from,
    manifest,
    changes: await readPriceChanges(join(from, GENERATION_FILES.priceChanges)),
    ...(await readColumns(join(from, GENERATION_FILES.columns), manifest, rowCounts(manifest))),
  };
}

/** How segments are merged: all that the policy says, or those alone that take no longer than to publish a generation. */
export type Merging = "all" | "small";

/** The segments of a base that stay as they are in a generation that extends it. */
export function stayingSegments(
  { manifest, live }: BaseGeneration,
  loaded: { readonly records: Loaded; readonly raw: Loaded },
  merging: Merging,
): GenerationManifest["segments"] {
  const left = (rows: RowSet, { replaced, withdrawn }: Loaded) =>
    rows.minus(RowSet.of(rows.size, [...replaced, ...withdrawn]));
  const shown = { records: left(live.records, loaded.records), raw: left(live.raw, loaded.raw) };
  const sizes = segmentRows(manifest, shown).map((segment) => segment.shown);
  const added = { records: loaded.records.added, raw: loaded.raw.added };
  const stay = merging === "all" ? segmentsThatStay(sizes, added) : segmentsThatStayAtFirst(sizes, added);
  return manifest.segments.slice(0, stay);
}

/** What of a generation is to be merged still. */
export interface Unmerged {
  /** Segments that become one. */
  readonly segments: number;
  /** The row of their first record. */
  readonly first: number;
  /** What they show. */
  readonly size: SegmentSize;
}

/** Reads which segments of a generation are to be merged; undefined where none are. */
export async function readUnmerged(dir: string, manifest: GenerationManifest): Promise<Unmerged | undefined> {
  const { live } = await readColumns(join(dir, GENERATION_FILES.columns), manifest, rowCounts(manifest));
  const rows = segmentRows(manifest, live);
  const stay = segmentsThatStay(
    rows.map(({ shown }) => shown),
    { records: 0, raw: 0 },
  );
  const merged = rows.slice(stay);
  if (merged.length < 2) return undefined;
  const sum = (kind: keyof SegmentSize) => merged.reduce((total, { shown }) => total + shown[kind], 0);
  return {
    segments: merged.length,
    first: merged[0]!.records.first,
    size: { records: sum("records"), raw: sum("raw") },
  };
}

/** Shares the row stores of segments of a base, which are immutable, by hard links. */
export async function shareSegments(
  from: string,
  to: string,
  segments: GenerationManifest["segments"],
): Promise<void> {
  const paths = (dir: string, name: string) => join(dir, GENERATION_FILES.segments, name);
  for (const { name } of segments) await shareFolder(paths(from, name), paths(to, name));
}

/** A name for the next segment of a generation that extends one of these segments: later than theirs, so that a name has one content. */
export function nextSegmentName(segments: GenerationManifest["segments"]): string {
  const last = segments.at(-1);
  return String(last === undefined ? 0 : Number(last.name) + 1).padStart(4, "0");
}
