import { z } from "zod";
import { Sha256, SliceFacts } from "./slice-manifest.js";

/** Name of the index in a published folder. */
export const INDEX_FILE = "index.json";

/** Version of the index that this library writes, and the newest that it reads. */
export const INDEX_FORMAT_VERSION = 1;

/** Largest number of slices in an index. */
export const MAX_SLICES = 200_000;

/**
 * One slice in an index: the fields of its manifest that a filter needs. Its files are in the folder named after its root, beside
 * the index. The manifest in that folder is authoritative, and the root verifies it.
 */
export const SliceIndexEntry = z.object({
  root: Sha256,
  name: z.string().max(200),
  title: z.string().max(2000),
  /** Total bytes of its files without the manifest. */
  bytes: z.number().int().min(0),
  filter: SliceFacts.shape.filter,
  captured: SliceFacts.shape.captured,
  counts: SliceFacts.shape.counts.pick({ records: true, raw: true, vectors: true }),
  licences: z.array(z.string().max(500)).max(100),
  revision: SliceFacts.shape.revision,
  supersedes: SliceFacts.shape.supersedes,
  cutFrom: SliceFacts.shape.cutFrom,
});
export type SliceIndexEntry = Readonly<z.infer<typeof SliceIndexEntry>>;

/** `index.json` of a published folder: the slices to pull. */
export const SliceIndex = z.object({
  formatVersion: z.literal(INDEX_FORMAT_VERSION),
  slices: z.array(SliceIndexEntry).max(MAX_SLICES),
});
export type SliceIndex = Readonly<z.infer<typeof SliceIndex>>;
