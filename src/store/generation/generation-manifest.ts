import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LakeError } from "../../contract/errors.js";
import { parseOnce } from "../../contract/parse-once.js";
import { Domain } from "../../contract/service/platforms.js";
import { Sha256, type SliceManifest } from "../../contract/slice/slice-manifest.js";
import { rebuildRemedy } from "./rebuild-remedy.js";
import { StoredSliceManifests } from "./slice-manifests-file.js";

/** Version of the generation format. A generation is derived data: one of another version is rebuilt, not converted. */
export const GENERATION_FORMAT_VERSION = 10;

/** Files of a generation. */
export const GENERATION_FILES = {
  manifest: "generation.json",
  slices: "slices.json",
  database: "corpus.duckdb",
  columns: "columns",
  priceChanges: "price-changes.json",
  segments: "segments",
} as const;

const count = z.number().int().min(0);

/** Content of a generation. Rows of a segment follow those of the previous segment. */
export const GenerationManifest = z.strictObject({
  formatVersion: z.literal(GENERATION_FORMAT_VERSION),
  /** Roots of the slices, by their number in the database. */
  slices: z.array(Sha256),
  segments: z.array(
    z.strictObject({
      name: z.string().regex(/^\d{4,}$/),
      records: count,
      raw: count,
      /** The row of its first raw item when it was written, by which its groups count; absent where it is the same still. */
      groupsFrom: count.optional(),
    }),
  ),
  /** Records that slices brought since all of the generation was built; absent where it was built before this was kept. */
  grown: count.optional(),
  /** Live records and raw items; the other rows were replaced or removed. */
  liveRecords: count,
  liveRaw: count,
  /** Newest `prov.ts` that is no mistake, in epoch milliseconds; 0 if there are no records. */
  asOfMs: z.number().int(),
  /** The same of raw items; absent where the generation was built before it was kept. */
  rawAsOfMs: z.number().int().optional(),
  /** Dictionaries of the record columns. */
  platforms: z.array(z.strictObject({ slug: z.string(), domain: Domain })),
  langs: z.array(z.string()),
});
export type GenerationManifest = Readonly<z.infer<typeof GenerationManifest>>;

/** Reads the manifest of a generation. @throws LakeError `generation_invalid` */
export async function readGenerationManifest(dir: string): Promise<GenerationManifest> {
  return readChecked(join(dir, GENERATION_FILES.manifest), GenerationManifest);
}

/** Reads the manifests of a generation's slices, in the order of their numbers. @throws LakeError `generation_invalid` */
export async function readSliceManifests(dir: string): Promise<SliceManifest[]> {
  return readChecked(join(dir, GENERATION_FILES.slices), StoredSliceManifests);
}

/** Rows of all segments, live or not. */
export function rowCounts(manifest: Pick<GenerationManifest, "segments">): { records: number; raw: number } {
  const sum = (key: "records" | "raw") => manifest.segments.reduce((n, segment) => n + segment[key], 0);
  return { records: sum("records"), raw: sum("raw") };
}

/** Records that slices brought to a generation since all of it was built, counted by the slices. */
export function grownBy({ grown, segments }: GenerationManifest): number {
  return grown ?? segments.slice(1).reduce((sum, { records }) => sum + records, 0);
}

async function readChecked<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return parseOnce(schema, JSON.parse(await readFile(path, "utf8")));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw cause;
    throw new LakeError("generation_invalid", `${path} is not what this version of Mirrorlake builds`, {
      value: path,
      remedy: rebuildRemedy(path),
      cause,
    });
  }
}
