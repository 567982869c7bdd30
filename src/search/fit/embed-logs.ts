import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "../embed/index-vector.js";
import { withFile, writeNumbers } from "../numbers/number-file.js";
import { BYTE_VECTOR, storeByteVector } from "../vector/byte-vectors.js";
import { type ModelColumns, ReflectiveSum } from "./reflective-sum.js";
import { atDesk, type SharedModel } from "./shared-model.js";
import { readWeightedLogs, type WeightedDocument, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Documents stored at a time. */
const STORED = 64;

/** Task: logs of consecutive documents, to embed in one thread. */
export interface EmbedTask {
  readonly model: SharedModel;
  readonly logs: readonly WeightedLog[];
  /** Existing file of vectors of signed bytes, and the index of the first document in it. */
  readonly out: string;
  readonly first: number;
}

/** Embeds documents and writes their vectors to their offsets in a file. */
export async function embedLogs({ model, logs, out, first }: EmbedTask): Promise<void> {
  let position = first * BYTE_VECTOR;
  await withFile(out, "r+", (target) =>
    atDesk(model, (table) =>
      embedWeighted({ ...model, table }, readWeightedLogs(logs), (stored) => {
        writeNumbers(target, position, stored);
        position += stored.length;
      }),
    ),
  );
}

/** Embeds documents, a batch of the table at a time; calls `write` with stored vectors of some, in order. */
export async function embedWeighted(
  model: ModelColumns,
  documents: Iterable<WeightedDocument>,
  write: (stored: Uint8Array) => void,
): Promise<void> {
  const index = await IndexVectors.create(model.features.length);
  index.list(model.features);
  const sum = new ReflectiveSum(model, index);
  const stored = new Uint8Array(STORED * BYTE_VECTOR);
  const flush = () => {
    const vectors = sum.take();
    const count = vectors.length / dimensions;
    for (let from = 0; from < count; from += STORED) {
      const some = Math.min(STORED, count - from);
      for (let i = 0; i < some; i += 1) {
        const at = (from + i) * dimensions;
        const place = stored.subarray(i * BYTE_VECTOR, (i + 1) * BYTE_VECTOR);
        storeByteVector(vectors.subarray(at, at + dimensions), true, place);
      }
      write(stored.subarray(0, some * BYTE_VECTOR));
    }
  };
  for (const document of documents) {
    if (sum.add(document)) continue;
    flush();
    sum.add(document);
  }
  flush();
}
