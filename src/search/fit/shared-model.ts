import { join } from "node:path";
import type { ThreadOptions } from "../../threads/run-tasks.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { FeatureTable } from "../embed/feature-table.js";
import { sharedMemory } from "../embed/kernels.js";
import { MODEL_FILES } from "../embed/model-manifest.js";
import type { Vocabulary } from "../embed/vocabulary.js";
import { runTasks } from "../worker-tasks.js";
import { type GatherRoom, GatherTable, ownBytes } from "./gather-table.js";
import { placesByUse } from "./model-places.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Documents per batch, and vectors read at a time: large enough to reuse cached rows. */
const BATCH = 2048;
/** Most features per batch: as many as one document may have. */
const ENTRIES = 1 << 19;
/** Bytes before the rows: which desks are taken. */
const HEAD = 1 << 12;

/** A fitted model in memory that threads share: its vectors, once, and a desk for the work of each thread. */
export interface SharedModel {
  readonly memory: WebAssembly.Memory;
  readonly room: GatherRoom;
  readonly desks: number;
  /** Columns of the vocabulary, and the row of each feature's vector. */
  readonly features: Uint32Array;
  readonly scales: Float32Array;
  readonly places: Uint32Array;
}

/** Task: consecutive vectors of a model that one thread reads. */
export interface ReadModelTask {
  readonly model: Pick<SharedModel, "memory" | "room" | "desks">;
  /** File of the vectors, and how many it has. */
  readonly path: string;
  readonly vectors: number;
  /** The first of those to read, and the row of each. */
  readonly first: number;
  readonly places: Uint32Array;
  /** Which ones to read; default: those from the first on. */
  readonly stored?: Uint32Array | undefined;
}

/** The vectors of a vocabulary in the file of a model. */
export interface StoredVectors {
  /** How many the file has. */
  readonly count: number;
  /** By the vocabulary's number: which one of the file it is, where it has not all of them. */
  readonly stored: Uint32Array | undefined;
}

/**
 * Reads a fitted model into memory that threads share.
 * @param dir its folder
 * @param vocabulary all of its features, or some
 * @throws the signal's reason; RangeError if its files are damaged, or there is not enough memory
 */
export async function shareModel(
  dir: string,
  vocabulary: Vocabulary,
  { count: vectors, stored }: StoredVectors,
  options: ThreadOptions,
): Promise<SharedModel> {
  const { features, scales, vectorCount, size } = vocabulary;
  const desks = Math.max(1, options.threads);
  const room: GatherRoom = {
    dims: dimensions,
    rows: vectorCount,
    lists: BATCH,
    entries: Math.max(ENTRIES, size),
  };
  const memory = sharedMemory(HEAD + room.rows * room.dims + desks * ownBytes(room));
  const places = placesByUse(vocabulary);
  const model = { memory, room, desks };
  const tasks: ReadModelTask[] = [];
  const count = Math.ceil(vectorCount / desks);
  for (let first = 0; first < vectorCount; first += count) {
    const path = join(dir, MODEL_FILES.vectors);
    const own = places.vectors.slice(first, first + count);
    const which = stored?.slice(first, first + count);
    tasks.push({ model, path, vectors, first, places: own, stored: which });
  }
  await runTasks("readModel", tasks, options);
  return { ...model, features, scales, places: places.features };
}

/** Reads vectors of a model into their rows. */
export async function readModel({
  model,
  path,
  vectors,
  first,
  places,
  stored,
}: ReadModelTask): Promise<void> {
  const features = FeatureTable.open(path, vectors);
  const read = (at: number, count: number, bytes: Int8Array) => {
    if (stored === undefined) return features.read(first + at, count, bytes);
    for (let i = 0; i < count; i += 1)
      features.read(stored[at + i]!, 1, bytes.subarray(i * dimensions, (i + 1) * dimensions));
  };
  try {
    await atDesk(model, (table) => {
      for (let at = 0; at < places.length; at += BATCH) {
        const part = places.subarray(at, at + BATCH);
        table.fill(part, (bytes) => read(at, part.length, bytes));
      }
    });
  } finally {
    features.close();
  }
}

/** Calls `use` with the model's table at a desk that no other thread has meanwhile. */
export async function atDesk<T>(
  { memory, room, desks }: Pick<SharedModel, "memory" | "room" | "desks">,
  use: (table: GatherTable) => Promise<T> | T,
): Promise<T> {
  const taken = new Int32Array(memory.buffer, 0, desks);
  let desk = 0;
  while (desk < desks && Atomics.compareExchange(taken, desk, 0, 1) !== 0) desk += 1;
  if (desk === desks) throw new RangeError(`more than ${desks} threads work with one model`);
  try {
    const ownAt = HEAD + room.rows * room.dims + desk * ownBytes(room);
    return await use(await GatherTable.at({ memory, rowsAt: HEAD, ownAt }, room));
  } finally {
    Atomics.store(taken, desk, 0);
  }
}
