import { join } from "node:path";
import { readFloats } from "../numbers/number-file.js";
import { ByteVectorFile } from "./byte-vector-file.js";
import { JoinedByteVectors, JoinedFloatVectors } from "./joined-vectors.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES } from "./vector-files.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";
import type { ByteVectors, FloatVectors } from "./vectors.js";

/** A vector set in a folder. */
export interface SetFolder {
  readonly dir: string;
  readonly manifest: VectorSetManifest;
}

/** The open files of a vector set, and its statistics. */
export interface SetFiles {
  readonly bytes: ByteVectors;
  /** Where the set's own vectors are floats. */
  readonly floats: FloatVectors | undefined;
  readonly mean: Float32Array;
  readonly deviation: Float32Array;
  close(): void;
}

/**
 * Opens the files of the vector set in a folder, and reads none of its vectors.
 * @throws SearchError, RangeError if the set is incomplete.
 */
export function openSetFiles({ dir, manifest: { count, numbers, width } }: SetFolder): SetFiles {
  const path = (file: keyof typeof VECTOR_FILES) => join(dir, VECTOR_FILES[file]);
  const closing: { close(): void }[] = [];
  const close = () => {
    for (const file of closing) file.close();
  };
  try {
    const bytes = ByteVectorFile.open(path("byteVectors"), width);
    closing.push(bytes);
    if (bytes.count !== count)
      throw new RangeError(`${path("byteVectors")} has ${bytes.count} vectors, not ${count}`);
    const floats = numbers === "float32" ? VectorFile.open(path("vectors"), width) : undefined;
    if (floats !== undefined) closing.push(floats);
    return { bytes, floats, mean: readFloats(path("mean")), deviation: readFloats(path("deviation")), close };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Opens the files of several sets as those of one, whose rows follow one another. Its statistics are those of the largest.
 * @param sets at least one, all of floats or none
 * @throws SearchError, RangeError if one of them is incomplete.
 */
export function joinSetFiles(sets: readonly SetFolder[]): SetFiles {
  const opened: SetFiles[] = [];
  const close = () => {
    for (const files of opened) files.close();
  };
  try {
    for (const set of sets) opened.push(openSetFiles(set));
  } catch (error) {
    close();
    throw error;
  }
  if (opened.length === 1) return opened[0]!;
  const floats = opened.flatMap((files) => files.floats ?? []);
  const { mean, deviation } = opened[largestOf(sets)]!;
  return {
    bytes: new JoinedByteVectors(opened.map(({ bytes }) => bytes)),
    floats: floats.length === 0 ? undefined : new JoinedFloatVectors(floats),
    mean,
    deviation,
    close,
  };
}

/** The number of the set with most rows; the first of equal ones. */
export function largestOf(sets: readonly SetFolder[]): number {
  let largest = 0;
  for (const [at, { manifest }] of sets.entries())
    if (manifest.count > sets[largest]!.manifest.count) largest = at;
  return largest;
}
