import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../contract/errors.js";
import { ModelManifest } from "./embed/model-manifest.js";

/** File that describes a search index. */
export const INDEX_FILE = "index.json";

/** Folder of a segment's local vector set. */
export const LOCAL_VECTORS = "local";

/** Folder of a segment's keyword index. */
export const KEYWORD = "keyword";

/** Folder of the default embedder, where that made the index's vectors. */
export const EMBEDDER = "embedder";

/** What a search index is made of. */
export const IndexManifest = z.strictObject({
  formatVersion: z.literal(1),
  documentCount: z.number().int().min(0),
  /** Id of the embedder whose vectors rank. */
  embedder: z.string(),
  /** What the default embedder was fitted to, where it is that. */
  fit: ModelManifest.optional(),
  /** What another embedder says of itself. */
  embedderState: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  segments: z.array(z.strictObject({ name: z.string(), documentCount: z.number().int().min(0) })),
});
export type IndexManifest = Readonly<z.infer<typeof IndexManifest>>;

/** Reads and checks the manifest of the index in a folder. Throws {@link SearchError} where there is none that is valid. */
export async function readIndexManifest(dir: string): Promise<IndexManifest> {
  try {
    return IndexManifest.parse(JSON.parse(await readFile(join(dir, INDEX_FILE), "utf8")));
  } catch (cause) {
    throw new SearchError("index_unreadable", "the search index cannot be read", {
      value: dir,
      remedy: "rebuild it with `mirrorlake install` or `mirrorlake doctor`",
      cause,
    });
  }
}
