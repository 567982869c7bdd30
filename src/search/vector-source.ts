import { join } from "node:path";
import { LOCAL_VECTORS, NUMBERS, type VectorSetName } from "./index-manifest.js";
import { readVectorSetManifest } from "./vector/vector-set-manifest.js";
import type { VectorSource } from "./vector/vectors.js";

/**
 * Where the vectors of a segment's set are, and how they are stored.
 * @param segment its folder
 * @throws SearchError `vectors_unreadable`
 */
export async function vectorSource(segment: string, set: VectorSetName): Promise<VectorSource> {
  const source = { dir: join(segment, set), numbers: NUMBERS[set] };
  // The default embedder's have all numbers.
  if (set === LOCAL_VECTORS) return source;
  const { width } = await readVectorSetManifest(source.dir);
  return { ...source, width };
}
