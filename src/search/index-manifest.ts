import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../contract/errors.js";
import { parseOnce } from "../contract/parse-once.js";
import type { Embedder } from "./embed/embedder.js";
import { ModelManifest } from "./embed/model-manifest.js";
import { SettledWish } from "./vector/graph/choose-graph.js";

/** File name of an index's manifest. */
export const INDEX_FILE = "index.json";

/** Folder of a segment's local vector set, from the default embedder. */
export const LOCAL_VECTORS = "local";

/**
 * Folder of a segment's given vector set, from another embedder: downloaded vectors, and generated ones for
 * other records.
 */
export const GIVEN_VECTORS = "given";

/** How the vectors of a set are stored: those of the default embedder are signed bytes by definition. */
export const NUMBERS = { [LOCAL_VECTORS]: "int8", [GIVEN_VECTORS]: "float32" } as const;

/** Folder of a segment's keyword index. */
export const KEYWORD = "keyword";

/** Folder of the fitted default embedder, if there is one. */
export const EMBEDDER = "embedder";

/** Manifest of a search index. */
export const IndexManifest = z.strictObject({
  formatVersion: z.literal(2),
  documentCount: z.number().int().min(0),
  /**
   * Vector sets of every segment, the preferred one first. A set ranks only if the embedder of its id is
   * available; the default embedder always is.
   */
  vectorSets: z
    .array(
      z.strictObject({
        name: z.enum([GIVEN_VECTORS, LOCAL_VECTORS]),
        embedder: z.string(),
        /** Dimensions of a given embedder; absent in indexes of before 0.2.0. */
        dims: z.number().int().min(1).optional(),
        /** State that a given embedder reports. */
        state: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      }),
    )
    .min(1)
    .max(2),
  /** Fit of the default embedder, if there is a local set. */
  fit: ModelManifest.optional(),
  /** Which sets got graphs when the index was built; absent in indexes of before 0.2.0. */
  graphs: SettledWish.optional(),
  segments: z.array(z.strictObject({ name: z.string(), documentCount: z.number().int().min(0) })),
});
export type IndexManifest = Readonly<z.infer<typeof IndexManifest>>;
export type VectorSetName = IndexManifest["vectorSets"][number]["name"];

/** Id of the embedder of a set; undefined if the index has no such set. */
export function embedderOf(manifest: IndexManifest, set: VectorSetName): string | undefined {
  return manifest.vectorSets.find(({ name }) => name === set)?.embedder;
}

/**
 * Whether the given set of an index is of an embedder: of its id, and of its dimensions where the index says how many it has. Without an
 * embedder: whether there is no such set.
 */
export function isSetOf(
  manifest: IndexManifest,
  embedder: Pick<Embedder, "id" | "dims"> | undefined,
): boolean {
  const set = manifest.vectorSets.find(({ name }) => name === GIVEN_VECTORS);
  return set?.embedder === embedder?.id && (set?.dims === undefined || set.dims === embedder?.dims);
}

/**
 * Reads and checks the manifest of the index in a folder.
 * @throws SearchError `index_unreadable`.
 */
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
