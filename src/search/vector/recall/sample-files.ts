import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { VECTOR_FILES } from "../vector-files.js";

/** Queries that were made from the texts of a set, 1536 numbers each, and rows with their words. */
export interface SampleFiles {
  readonly vectors: Float32Array;
  readonly hints: Uint32Array | undefined;
}

/** Reads the sample in the folder of a set; undefined where there is none. */
export async function readSampleFiles(dir: string): Promise<SampleFiles | undefined> {
  const vectors = await numbersOf(join(dir, VECTOR_FILES.queries));
  if (vectors === undefined) return undefined;
  const hints = await numbersOf(join(dir, VECTOR_FILES.hints));
  return {
    vectors: new Float32Array(vectors),
    hints: hints === undefined ? undefined : new Uint32Array(hints),
  };
}

/** The bytes of a file, if there is one. */
async function numbersOf(path: string): Promise<ArrayBuffer | undefined> {
  if (!existsSync(path)) return undefined;
  const bytes = await readFile(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
