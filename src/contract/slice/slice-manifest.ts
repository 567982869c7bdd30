import { z } from "zod";
import { Domain, Platform, PlatformSlug } from "../service/platforms.js";
import { LanguageTag, Timestamp, VECTOR_DIMENSIONS } from "../service/unified-record.js";

/** Version of the slice format that this library writes, and the newest that it reads. */
export const SLICE_FORMAT_VERSION = 1;

/** SHA-256 of a file or of a manifest, 64 lower-case hexadecimal digits. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hexadecimal");

/** Name of a file of a slice: no folder, no hidden file, nothing but letters, digits, dots, hyphens, underscores. */
export const SliceFileName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, "must be a plain file name within the slice");

const count = z.number().int().min(0);

const TableSchema = z.object({
  fields: z
    .array(
      z.object({
        name: z.string(),
        type: z.enum(["string", "number", "integer", "boolean", "datetime", "array", "object"]),
        description: z.string().optional(),
      }),
    )
    .min(1),
  primaryKey: z.array(z.string()).optional(),
});

/** A Data Resource of the Frictionless Data Package standard v2: one file of a slice. `rows` is an addition. */
export const SliceResource = z.object({
  name: z.enum(["records", "raw", "vectors"]),
  type: z.literal("table").optional(),
  path: SliceFileName,
  format: z.enum(["parquet", "arrow"]),
  mediatype: z.string(),
  bytes: count,
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 hexadecimal digits"),
  rows: count,
  schema: TableSchema,
});
export type SliceResource = Readonly<z.infer<typeof SliceResource>>;

/** Description of a slice beyond its files (decisions.md, "Dataset slices"). */
export const SliceFacts = z.object({
  formatVersion: z.literal(SLICE_FORMAT_VERSION),
  /** SHA-256 of the canonical JSON (RFC 8785) of the manifest without this member: it covers every file's hash. */
  root: Sha256,
  /** The filter that selects the slice's items: `from` ≤ capture < `to`, a month in UTC. That of December 9999 holds its `to`. */
  filter: z.object({
    domain: Domain,
    platform: PlatformSlug,
    lang: LanguageTag,
    from: Timestamp,
    to: Timestamp,
  }),
  counts: z.object({
    records: count,
    raw: count,
    vectors: count,
    /** Raw items by resource. */
    resources: z.record(z.string(), count),
  }),
  /** Oldest and newest capture in the slice. */
  captured: z.object({ first: Timestamp, last: Timestamp }),
  /** Model and dimensions of the vectors; null without vectors. */
  embedding: z
    .object({ model: z.string().min(1).max(100), dimensions: z.literal(VECTOR_DIMENSIONS) })
    .nullable(),
  /** `kept`: each `prov.hash` is the source's own, unchanged. Absent: each is the computed hash of the record. */
  hashes: z.literal("kept").optional(),
  /** The platform of the slice, for registration in a lake. */
  platform: Platform,
  /** Edition number, from 1. */
  revision: z.number().int().min(1),
  /** Roots of the slices that this slice replaces. */
  supersedes: z.array(Sha256),
  /**
   * Only in what a lake cut from a slice, in compacting or by retention: the root of the slice as it was published, and whether older items
   * were left out by their age. What supersedes that slice supersedes this one too. `byAgeFrom`: the roots of slices, cut or not, of which
   * only older items were left out to make this one; it takes the place of none of them in a lake that holds it.
   */
  cutFrom: z.object({ root: Sha256, byAge: z.boolean(), byAgeFrom: z.array(Sha256).optional() }).optional(),
});
export type SliceFacts = Readonly<z.infer<typeof SliceFacts>>;

/**
 * The manifest of a slice, `datapackage.json`: a Frictionless Data Package v2 descriptor with a `mirrorlake` member. Unknown
 * members that the standard allows are preserved.
 */
export const SliceManifest = z.looseObject({
  $schema: z
    .string()
    .regex(
      /^https:\/\/datapackage\.org\/profiles\/2\.\d+\/datapackage\.json$/,
      "must be a profile of Data Package v2",
    ),
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  title: z.string().min(1),
  version: z.string(),
  licenses: z.array(z.looseObject({ name: z.string().min(1), title: z.string().optional() })).min(1),
  contributors: z.array(z.looseObject({ title: z.string() })).optional(),
  resources: z.array(SliceResource).min(1),
  mirrorlake: SliceFacts,
});
export type SliceManifest = Readonly<z.infer<typeof SliceManifest>>;

/** Name of the manifest in a slice's folder. */
export const MANIFEST_FILE = "datapackage.json";
