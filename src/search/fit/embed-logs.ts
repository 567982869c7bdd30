import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTable } from "../embed/feature-table.js";
import { IndexVectors } from "../embed/index-vector.js";
import { MODEL_FILES } from "../embed/model-manifest.js";
import { Vocabulary } from "../embed/vocabulary.js";
import { writeNumbers } from "../numbers/number-file.js";
import { BYTE_VECTOR, storeByteVector } from "../vector/byte-vectors.js";
import { GatherTable } from "./gather-table.js";
import { ReflectiveSum } from "./reflective-sum.js";
import { readWeightedLogs, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Documents per batch, and rows read at a time: large enough to reuse cached rows. */
const BATCH = 2048;
/** Most features per batch: as many as one document may have. */
const ENTRIES = 1 << 19;

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
  const vocabulary = await Vocabulary.read(join(model, MODEL_FILES.vocabulary));
  const rows = vocabulary.size;
  const table = await GatherTable.create({
    dims: dimensions,
    rows,
    lists: BATCH,
    entries: Math.max(ENTRIES, rows),
  });
  const places = placesByUse(vocabulary);
  readModel(join(model, MODEL_FILES.vectors), places, table);
  const index = await IndexVectors.create(rows);
  index.list(vocabulary.features);
  const sum = new ReflectiveSum(vocabulary, index, { table, places });
  const target = openSync(out, "r+");
  let position = first * BYTE_VECTOR;
  const stored = new Uint8Array(BATCH * BYTE_VECTOR);
  const flush = () => {
    const vectors = sum.take();
    const count = vectors.length / dimensions;
    for (let i = 0; i < count; i += 1) {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions);
      storeByteVector(vector, true, stored.subarray(i * BYTE_VECTOR, (i + 1) * BYTE_VECTOR));
    }
    writeNumbers(target, position, stored.subarray(0, count * BYTE_VECTOR));
    position += count * BYTE_VECTOR;
  };
  try {
    for (const document of readWeightedLogs(logs)) {
      if (sum.add(document)) continue;
      flush();
      sum.add(document);
    }
    flush();
  } finally {
    closeSync(target);
  }
}

/** Assigns table rows by descending document frequency, so that frequent features are close in memory. */
function placesByUse({ documents }: Vocabulary): Uint32Array {
  const order = Uint32Array.from(documents.keys()).sort((a, b) => documents[b]! - documents[a]!);
  const places = new Uint32Array(order.length);
  order.forEach((row, place) => {
    places[row] = place;
  });
  return places;
}

function readModel(path: string, places: Uint32Array, table: GatherTable): void {
  const features = FeatureTable.open(path, places.length);
  try {
    for (let first = 0; first < places.length; first += BATCH) {
      const batch = places.subarray(first, first + BATCH);
      table.fill(batch, (bytes) => features.read(first, batch.length, bytes));
    }
  } finally {
    features.close();
  }
}
