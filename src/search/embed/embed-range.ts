import { closeSync, openSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { IndexVectors } from "./index-vector.js";
import { EmbedKernels } from "./kernels.js";
import { MODEL_FILES } from "./model-manifest.js";
import { ReflectiveSum } from "./reflective-sum.js";
import { Vocabulary } from "./vocabulary.js";
import { readWeightedLog, type WeightedLog } from "./weighted-log.js";

const { dimensions } = SEARCH_DEFAULTS;
const BATCH = 256;

/** Some documents of a log, to be embedded in one thread. */
export interface EmbedTask {
  /** Folder of the fitted embedder. */
  readonly model: string;
  readonly log: WeightedLog;
  /** Documents from `first`, a multiple of the log's stride, to `end` − 1. */
  readonly first: number;
  readonly end: number;
  /** A file that exists: document i goes to position i, 1536 32-bit floats. */
  readonly out: string;
}

/** Embeds documents and writes their vectors into a file, each at its place. */
export async function embedRange(task: EmbedTask): Promise<void> {
  const vocabulary = await Vocabulary.read(join(task.model, MODEL_FILES.vocabulary));
  const kernels = await EmbedKernels.create(dimensions, vocabulary.size);
  await readInto(join(task.model, MODEL_FILES.vectors), kernels.bytes(vocabulary.size));
  const sum = new ReflectiveSum(vocabulary, new IndexVectors(vocabulary.features), kernels);
  const target = openSync(task.out, "r+");
  try {
    const batch = new Float32Array(BATCH * dimensions);
    let [held, position] = [0, task.first];
    const flush = () => {
      const bytes = new Uint8Array(batch.buffer, 0, held * dimensions * 4);
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(target, bytes, done, bytes.length - done, position * dimensions * 4 + done);
      }
      position += held;
      held = 0;
    };
    for (const { rows, weights } of readWeightedLog(task.log, task.first, task.end)) {
      if (held === BATCH) flush();
      sum.embed(rows, weights, batch.subarray(held * dimensions, (held + 1) * dimensions));
      held += 1;
    }
    flush();
  } finally {
    closeSync(target);
  }
}

async function readInto(path: string, bytes: Int8Array): Promise<void> {
  const file = await open(path, "r");
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, done);
      if (bytesRead === 0) throw new RangeError(`${path} is shorter than ${bytes.length} bytes`);
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
}
