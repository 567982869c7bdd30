import { join } from "node:path";
import { readFloats } from "../numbers/number-file.js";
import { ByteVectorFile } from "./byte-vector-file.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES } from "./vector-files.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";

/** The open files of a vector set, and its statistics. */
export interface SetFiles {
  readonly bytes: ByteVectorFile;
  /** Where the set's own vectors are floats. */
  readonly floats: VectorFile | undefined;
  readonly mean: Float32Array;
  readonly deviation: Float32Array;
  close(): void;
}

/**
 * Opens the files of the vector set in a folder, and reads none of its vectors.
 * @throws SearchError, RangeError if the set is incomplete.
 */
export function openSetFiles(dir: string, { count, numbers }: VectorSetManifest): SetFiles {
  const path = (file: keyof typeof VECTOR_FILES) => join(dir, VECTOR_FILES[file]);
  const closing: { close(): void }[] = [];
  const close = () => {
    for (const file of closing) file.close();
  };
  try {
    const bytes = ByteVectorFile.open(path("byteVectors"));
    closing.push(bytes);
    if (bytes.count !== count)
      throw new RangeError(`${path("byteVectors")} has ${bytes.count} vectors, not ${count}`);
    const floats = numbers === "float32" ? VectorFile.open(path("vectors")) : undefined;
    if (floats !== undefined) closing.push(floats);
    return { bytes, floats, mean: readFloats(path("mean")), deviation: readFloats(path("deviation")), close };
  } catch (error) {
    close();
    throw error;
  }
}
