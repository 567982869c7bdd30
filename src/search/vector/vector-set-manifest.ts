import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../../contract/errors.js";

/** Files of a vector set's folder. */
export const VECTOR_FILES = {
  manifest: "set.json",
  vectors: "vectors.f32",
  basis: "basis.f32",
  scales: "scales.f32",
  codes: "codes.i8",
  fineScales: "fine-scales.f32",
  fineCodes: "fine-codes.i8",
} as const;

const count = z.number().int().min(0);

/** What a vector set is made of. */
export const VectorSetManifest = z.strictObject({
  formatVersion: z.literal(1),
  count,
  /** Dimensions of the codes: the first ones of the vectors as they are, or as many principal directions. */
  dims: z.number().int().min(16).multipleOf(16),
  basis: z.enum(["leading", "principal"]),
  /** Whether there are codes of all 1536 dimensions besides those of principal directions. */
  fine: z.boolean(),
  graphs: z.array(z.strictObject({ file: z.string().regex(/^graph-\d+\.hnsw$/), first: count, count })),
});
export type VectorSetManifest = Readonly<z.infer<typeof VectorSetManifest>>;

/** Reads and checks the manifest of a set. Throws `SearchError` `vectors_unreadable`. */
export async function readVectorSetManifest(dir: string): Promise<VectorSetManifest> {
  try {
    return VectorSetManifest.parse(JSON.parse(await readFile(join(dir, VECTOR_FILES.manifest), "utf8")));
  } catch (cause) {
    throw new SearchError("vectors_unreadable", "the vectors of the search index cannot be read", {
      value: dir,
      remedy: "rebuild the index with `mirrorlake install`",
      cause,
    });
  }
}
