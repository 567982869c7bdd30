import { nextTurn } from "../../../next-turn.js";
import { ByteVectorFile } from "../byte-vector-file.js";
import { byteVectorOf } from "../byte-vectors.js";
import { attachCodeKernels } from "../codes/code-kernels.js";
import { SCORED_ROWS } from "../codes/row-codes.js";
import { Barrier } from "./barrier.js";
import { GraphBuilder } from "./graph-builder.js";
import { COUNTERS, type GraphRoom } from "./graph-room.js";

/** Rows coded at a time by one part. */
const RUN = 256;

/** Task: one thread's part in building a graph. All parts have to run at once. */
export interface GraphTask {
  readonly memory: WebAssembly.Memory;
  readonly room: GraphRoom;
  readonly part: number;
  /** File of the vectors of signed bytes, and numbers of each. */
  readonly path: string;
  readonly width: number;
  /** Unit of the weights of rows; and the mean as a query. */
  readonly unit: number;
  readonly mean: { readonly weights: Int16Array; readonly unit: number; readonly base: number };
}

/** Codes the vectors and links the nodes, beside the other parts. Runs in worker threads, so it takes plain values. */
export async function buildGraphPart(task: GraphTask): Promise<void> {
  const { memory, room, part, unit, mean } = task;
  const builder = new GraphBuilder(await attachCodeKernels(memory), room, part, unit);
  const counters = new Int32Array(memory.buffer, 0, COUNTERS.all);
  const barrier = new Barrier(counters.subarray(COUNTERS.barrier, COUNTERS.barrier + 2), room.parts);
  await codePart(builder, task);
  barrier.wait();
  measureMeans(builder, memory, room, part, mean);
  barrier.wait();
  for (let done = 0; done < room.nodes; ) {
    const size = builder.batchSize(done);
    builder.find(done, size);
    barrier.wait();
    builder.linkBack(done, size);
    barrier.wait();
    done += size;
    if (part === 0) Atomics.store(counters, COUNTERS.linked, done);
    if (room.parts === 1) await nextTurn();
  }
}

async function codePart({ codes }: GraphBuilder, { room, part, path, width }: GraphTask): Promise<void> {
  const file = ByteVectorFile.open(path, width);
  const own = byteVectorOf(width);
  try {
    const bytes = new Uint8Array(RUN * own);
    for (let first = part * RUN; first < room.count; first += room.parts * RUN) {
      const some = Math.min(RUN, room.count - first);
      file.readBytes(first, some, bytes);
      codes.put(bytes.subarray(0, some * own), first, width);
      if (room.parts === 1) await nextTurn();
    }
  } finally {
    file.close();
  }
}

/** Each coded row's inner product with the mean. */
function measureMeans(
  { codes }: GraphBuilder,
  { buffer }: WebAssembly.Memory,
  room: GraphRoom,
  part: number,
  mean: GraphTask["mean"],
): void {
  const means = new Float32Array(buffer, room.means, room.count);
  codes.setQuery(mean.weights);
  for (let first = part * SCORED_ROWS; first < room.count; first += room.parts * SCORED_ROWS) {
    const some = Math.min(SCORED_ROWS, room.count - first);
    for (let i = 0; i < some; i += 1) codes.rows[i] = first + i;
    codes.score(some, codes.weights);
    for (let i = 0; i < some; i += 1) means[first + i] = mean.base + mean.unit * codes.sums[i]!;
  }
}
