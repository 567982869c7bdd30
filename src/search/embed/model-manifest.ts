import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SearchError } from "../../contract/errors.js";
import { parseOnce } from "../../contract/parse-once.js";
import { readPieces } from "../../files/read-pieces.js";

/** Files of a fitted embedder. */
export const MODEL_FILES = {
  manifest: "model.json",
  /** See `packVocabulary`. */
  vocabulary: "vocabulary.bin",
  /** Feature vectors without their index vectors, see `FeatureTable`. */
  vectors: "vectors.bits",
} as const;

/** Version of the files; other versions are refused. */
export const MODEL_FORMAT = 6;

const count = z.number().int().min(0);

/** Manifest of a fitted embedder. */
export const ModelManifest = z.strictObject({
  formatVersion: z.literal(MODEL_FORMAT),
  /** Number of documents of the fit. */
  documents: count,
  /** Number of features with a vector. */
  features: count,
  /** SHA-256 of the vocabulary and vectors. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ModelManifest = Readonly<z.infer<typeof ModelManifest>>;

/** Name of a fitted model: vectors of different fits are not comparable. */
export function modelId(manifest: ModelManifest): string {
  return `reflective-${manifest.hash.slice(0, 12)}`;
}

/** The manifest of an embedder whose vocabulary and vectors are in memory. */
export function modelManifestOf(
  fitted: Pick<ModelManifest, "documents" | "features">,
  vocabulary: Uint8Array,
  vectors: Uint8Array,
): ModelManifest {
  const hash = createHash("sha256").update(vocabulary).update(vectors).digest("hex");
  return { formatVersion: MODEL_FORMAT, ...fitted, hash };
}

/** Writes the manifest of an embedder whose vocabulary and vectors are in a folder. */
export async function writeModelManifest(
  dir: string,
  fitted: Pick<ModelManifest, "documents" | "features">,
  signal?: AbortSignal,
): Promise<ModelManifest> {
  const hash = createHash("sha256");
  for (const name of [MODEL_FILES.vocabulary, MODEL_FILES.vectors]) {
    for await (const piece of readPieces(join(dir, name))) {
      signal?.throwIfAborted();
      hash.update(piece);
    }
  }
  const manifest: ModelManifest = { formatVersion: MODEL_FORMAT, ...fitted, hash: hash.digest("hex") };
  await writeFile(join(dir, MODEL_FILES.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/**
 * Reads and checks the manifest of a fitted embedder.
 * @throws SearchError `embedder_unreadable`.
 */
export async function readModelManifest(dir: string): Promise<ModelManifest> {
  try {
    return parseOnce(ModelManifest, JSON.parse(await readFile(join(dir, MODEL_FILES.manifest), "utf8")));
  } catch (cause) {
    throw new SearchError("embedder_unreadable", "the fitted embedder of the search index cannot be read", {
      value: dir,
      remedy: "rebuild the index with `mirrorlake install <lake>/slices --lake <lake> --rebuild`",
      cause,
    });
  }
}

/** The version of the files of a fitted embedder where this version of the library does not read them; else undefined. */
export async function otherModelFormat(dir: string): Promise<number | undefined> {
  try {
    const { formatVersion } = JSON.parse(await readFile(join(dir, MODEL_FILES.manifest), "utf8")) as Partial<
      Record<string, unknown>
    >;
    return Number.isInteger(formatVersion) && formatVersion !== MODEL_FORMAT
      ? (formatVersion as number)
      : undefined;
  } catch {
    return undefined;
  }
}
