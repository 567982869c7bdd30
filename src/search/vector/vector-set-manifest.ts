import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../../contract/errors.js";
import { parseOnce } from "../../contract/parse-once.js";
import { VECTOR_FILES } from "./vector-files.js";

const count = z.number().int().min(0);
const graph = z.strictObject({ file: z.string().regex(/^graph-\d+\.hnsw$/), first: count, count });

/** What a vector set is made of. */
export const VectorSetManifest = z.strictObject({
  formatVersion: z.literal(2),
  count,
  /** Dimensions that are used, of 1536; the codes' dimensions. */
  dims: z.number().int().min(32).max(1536).multipleOf(32),
  /** Bits by which a scan of all rows chooses candidates; absent of a small set. */
  sketch: z
    .strictObject({
      dims: z.number().int().min(32).multipleOf(32),
      bits: z.literal([1, 2, 4]),
    })
    .optional(),
  /** Whether there are 4-bit codes of all dimensions, to choose among candidates by. */
  codes: z.boolean(),
  /** Graphs that choose candidates instead of a scan: by their first dimensions, or as many principal directions. */
  graphs: z
    .strictObject({
      dims: z.number().int().min(16).multipleOf(16),
      basis: z.enum(["leading", "principal"]),
      files: z.array(graph),
    })
    .optional(),
});
export type VectorSetManifest = Readonly<z.infer<typeof VectorSetManifest>>;

/** Reads and checks the manifest of a set. Throws `SearchError` `vectors_unreadable`. */
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
