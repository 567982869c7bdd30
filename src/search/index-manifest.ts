import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../contract/errors.js";
import { parseOnce } from "../contract/parse-once.js";
import { ModelManifest } from "./embed/model-manifest.js";

/** File that describes a search index. */
export const INDEX_FILE = "index.json";

/** Folder of a segment's local vector set: vectors of the default embedder. */
export const LOCAL_VECTORS = "local";

/** Folder of a segment's vectors of another embedder: downloaded ones, and those that it made of the other records. */
export const GIVEN_VECTORS = "given";

/** Folder of a segment's keyword index. */
export const KEYWORD = "keyword";

/** Folder of the default embedder, where that made the index's vectors. */
export const EMBEDDER = "embedder";

/** What a search index is made of. */
export const IndexManifest = z.strictObject({
  formatVersion: z.literal(1),
  documentCount: z.number().int().min(0),
  /**
   * The vector sets that every segment has, the preferred one first. A set ranks only with the embedder of its id at hand;
   * that of the default embedder always is.
   */
  vectorSets: z
    .array(
      z.strictObject({
        name: z.enum([GIVEN_VECTORS, LOCAL_VECTORS]),
        embedder: z.string(),
        /** What a given embedder says of itself. */
        state: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      }),
    )
    .min(1)
    .max(2),
  /** What the default embedder was fitted to, where there is a local set. */
  fit: ModelManifest.optional(),
  segments: z.array(z.strictObject({ name: z.string(), documentCount: z.number().int().min(0) })),
});
export type IndexManifest = Readonly<z.infer<typeof IndexManifest>>;
export type VectorSetName = IndexManifest["vectorSets"][number]["name"];

/** Id of the embedder of a set, where an index has such a set. */
export function embedderOf(manifest: IndexManifest, set: VectorSetName): string | undefined {
  return manifest.vectorSets.find(({ name }) => name === set)?.embedder;
}

/** Reads and checks the manifest of the index in a folder. Throws {@link SearchError} where there is none that is valid. */
export async function readIndexManifest(dir: string): Promise<IndexManifest> {
  try {
    return parseOnce(IndexManifest, JSON.parse(await readFile(join(dir, INDEX_FILE), "utf8")));
  } catch (cause) {
    throw new SearchError("index_unreadable", "the search index cannot be read", {
      value: dir,
      remedy: "rebuild it with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
      cause,
    });
  }
}
