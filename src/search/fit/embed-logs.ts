import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTable } from "../embed/feature-table.js";
import { IndexVectors } from "../embed/index-vector.js";
import { MODEL_FILES } from "../embed/model-manifest.js";
import { PackedVocabulary } from "../embed/packed-vocabulary.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { withFile, writeNumbers } from "../numbers/number-file.js";
import { BYTE_VECTOR, storeByteVector } from "../vector/byte-vectors.js";
import { GatherTable } from "./gather-table.js";
import { ReflectiveSum } from "./reflective-sum.js";
import { readWeightedLogs, type WeightedDocument, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Documents per batch, and rows read at a time: large enough to reuse cached rows. */
const BATCH = 2048;
/** Most features per batch: as many as one document may have. */
const ENTRIES = 1 << 19;
/** Least documents per batch, and rows read at a time. */
const LEAST = 64;
const UNPLACED = 0xffff_ffff;

/** Task: logs of consecutive documents, to embed in one thread. */
export interface EmbedTask {
  /** Folder of the fitted embedder. */
  readonly model: string;
  readonly logs: readonly WeightedLog[];
  /** Existing file of vectors of signed bytes, and the index of the first document in it. */
  readonly out: string;
  readonly first: number;
}

/** Embeds documents and writes their vectors to their offsets in a file. */
export async function embedLogs({ model, logs, out, first }: EmbedTask): Promise<void> {
  const vocabulary = (await PackedVocabulary.read(join(model, MODEL_FILES.vocabulary))).unpacked();
  await withFile(out, "r+", async (target) => {
    const features = FeatureTable.open(join(model, MODEL_FILES.vectors), vocabulary.vectorCount);
    let position = first * BYTE_VECTOR;
    try {
      await embedWeighted({ vocabulary, features }, readWeightedLogs(logs), roomFor(logs), (stored) => {
        writeNumbers(target, position, stored);
        position += stored.length;
      });
    } finally {
      features.close();
    }
  });
}

/** Room for the batches of {@link embedWeighted}; does not change the vectors. */
export interface BatchRoom {
  /** Documents. */
  readonly batch: number;
  /** Features of all of them. */
  readonly entries: number;
}

/** As much as the documents need: large tables for small logs would only make work for the garbage collector. */
function roomFor(logs: readonly WeightedLog[]): BatchRoom {
  const documents = logs.reduce((sum, log) => sum + log.documents, 0);
  const words = logs.reduce((sum, log) => sum + log.length, 0);
  return {
    batch: Math.min(BATCH, Math.max(LEAST, documents)),
    entries: Math.min(ENTRIES, words),
  };
}

/** Embeds documents; calls `write` with the stored vectors of each batch, in order. */
export async function embedWeighted(
  { vocabulary, features }: { readonly vocabulary: Vocabulary; readonly features: FeatureTable },
  documents: Iterable<WeightedDocument>,
  { batch, entries }: BatchRoom,
  write: (stored: Uint8Array) => void,
): Promise<void> {
  const places = placesByUse(vocabulary);
  const table = await GatherTable.create({
    dims: dimensions,
    rows: places.length,
    lists: batch,
    entries: Math.max(entries, vocabulary.size),
  });
  readModel(features, places, table, batch);
  const index = await IndexVectors.create(vocabulary.size);
  index.list(vocabulary.features);
  const sum = new ReflectiveSum(vocabulary, index, {
    table,
    places: vocabulary.vectors.map((vector) => places[vector]!),
  });
  const stored = new Uint8Array(batch * BYTE_VECTOR);
  const flush = () => {
    const vectors = sum.take();
    const count = vectors.length / dimensions;
    for (let i = 0; i < count; i += 1) {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions);
      storeByteVector(vector, true, stored.subarray(i * BYTE_VECTOR, (i + 1) * BYTE_VECTOR));
    }
    write(stored.subarray(0, count * BYTE_VECTOR));
  };
  for (const document of documents) {
    if (sum.add(document)) continue;
    flush();
    sum.add(document);
  }
  flush();
}

/** By vector: its table row, by descending document frequency, so that frequent features are close in memory. */
function placesByUse({ documents, vectors, vectorCount }: Vocabulary): Uint32Array {
  const order = Uint32Array.from(documents.keys()).sort((a, b) => documents[b]! - documents[a]!);
  const places = new Uint32Array(vectorCount).fill(UNPLACED);
  let next = 0;
  for (const feature of order) {
    const vector = vectors[feature]!;
    if (places[vector] === UNPLACED) places[vector] = next++;
  }
  return places;
}

function readModel(features: FeatureTable, places: Uint32Array, table: GatherTable, batch: number): void {
  for (let first = 0; first < places.length; first += batch) {
    const part = places.subarray(first, first + batch);
    table.fill(part, (bytes) => features.read(first, part.length, bytes));
  }
}
