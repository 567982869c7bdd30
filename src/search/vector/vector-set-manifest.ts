import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../../contract/errors.js";
import { parseOnce } from "../../contract/parse-once.js";
import { VECTOR_FILES } from "./vector-files.js";

const count = z.number().int().min(0);

/** Manifest of a vector set, `set.json`. */
export const VectorSetManifest = z.strictObject({
  formatVersion: z.literal(4),
  count,
  /** How its vectors are stored. */
  numbers: z.enum(["float32", "int8"]),
  /** Numbers of a vector that are stored; those behind them are zeros. Absent where all 1536 are. */
  width: z.number().int().min(32).max(1536).multipleOf(32).optional(),
  /** Used dimensions of these, and dimensions of the codes. */
  dims: z.number().int().min(32).max(1536).multipleOf(32),
  /** Whether column codes are made of the bytes, of all used dimensions, when the set is opened; not of a small set. */
  codes: z.boolean(),
  /** The quantizer of these codes; absent of a set with codes that was built when all were uniform. */
  quantizer: z.enum(["uniform", "wide"]).optional(),
  /** Whether there is an HNSW graph that finds candidates. */
  graph: z.boolean().optional(),
});
export type VectorSetManifest = Readonly<z.infer<typeof VectorSetManifest>>;

/**
 * Reads and checks the manifest of a set.
 * @throws SearchError `vectors_unreadable`.
 */
export async function readVectorSetManifest(dir: string): Promise<VectorSetManifest> {
  try {
    return parseOnce(VectorSetManifest, JSON.parse(await readFile(join(dir, VECTOR_FILES.manifest), "utf8")));
  } catch (cause) {
    throw new SearchError("vectors_unreadable", "the vectors of the search index cannot be read", {
      value: dir,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
      cause,
    });
  }
}
