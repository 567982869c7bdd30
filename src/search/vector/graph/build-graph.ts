import { join } from "node:path";
import { clearInterval, setInterval } from "node:timers";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { sharedMemory } from "../../embed/kernels.js";
import { writeNumberFile } from "../../numbers/number-file.js";
import { workerAvailable } from "../../start-worker.js";
import { runTasks } from "../../worker-tasks.js";
import { ByteVectorFile } from "../byte-vector-file.js";
import { attachCodeKernels } from "../codes/code-kernels.js";
import { CodeSpace } from "../codes/code-space.js";
import type { QuantizerName } from "../codes/quantizer.js";
import { RowCodes } from "../codes/row-codes.js";
import { loadVectors } from "../load-vectors.js";
import { hashOf } from "../recall/recall-sample.js";
import type { SetStatistics } from "../set-statistics.js";
import { VECTOR_FILES } from "../vector-files.js";
import { writeGraph } from "./graph-file.js";
import { GraphNodes } from "./graph-nodes.js";
import { COUNTERS, type GraphRoom, graphRoom, MOST_LINKS } from "./graph-room.js";

const { graph } = SEARCH_DEFAULTS.vector;
/** Milliseconds between two reports of progress. */
const REPORT = 250;

/** Options of {@link buildGraph}. */
export interface GraphOptions {
  /** Worker threads; 0 builds in this thread. Does not change the result. */
  readonly threads: number;
  /** Numbers of a vector that are stored; default: 1536. */
  readonly width?: number | undefined;
  /** Called now and then with the rows whose links are made. */
  readonly onProgress?: (progress: { readonly phase: "graph"; readonly rows: number }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds an HNSW graph (Malkov and Yashunin 2018) over the 4-bit codes of a set's vectors, in the folder of the set, which has their
 * signed bytes. The same vectors give the same bytes on any number of threads.
 * @throws the signal's reason; RangeError if there is not enough memory
 */
export async function buildGraph(
  dir: string,
  statistics: SetStatistics,
  quantizer: QuantizerName,
  options: GraphOptions,
): Promise<void> {
  const { signal, onProgress } = options;
  const path = join(dir, VECTOR_FILES.byteVectors);
  const vectors = ByteVectorFile.open(path, options.width);
  const nodes = new GraphNodes();
  try {
    await loadVectors(vectors, [nodes], { signal });
  } finally {
    vectors.close();
  }
  const order = shuffled(nodes.rows);
  const parts = workerAvailable() ? Math.max(1, options.threads) : 1;
  const space = new CodeSpace(statistics, quantizer);
  const room = graphRoom(vectors.count, statistics.dims, order.length, parts);
  const memory = sharedMemory(room.bytes);
  await describe(memory, room, space, order);
  const counters = new Int32Array(memory.buffer, 0, COUNTERS.all);
  const report = setInterval(
    () => onProgress?.({ phase: "graph", rows: Atomics.load(counters, COUNTERS.linked) }),
    REPORT,
  );
  const { base, unit, weights } = space.weigh(statistics.mean);
  try {
    const tasks = Array.from({ length: parts }, (_, part) => ({
      memory,
      room,
      part,
      path,
      width: vectors.width,
      unit: space.ofRows.unit,
      mean: { weights, unit, base },
    }));
    await runTasks("buildGraphPart", tasks, { threads: options.threads === 0 ? 0 : parts, signal });
  } finally {
    clearInterval(report);
  }
  onProgress?.({ phase: "graph", rows: order.length });
  const links = linksOf(memory, room);
  linkEvery(order, links, new Float32Array(memory.buffer, room.nearness, room.count * MOST_LINKS));
  await writeGraph(join(dir, VECTOR_FILES.graph), {
    entries: order.slice(0, graph.entries),
    links,
  });
  writeNumberFile(join(dir, VECTOR_FILES.graphTwins), nodes.twins);
}

/** Rows in an order that has nothing to do with where they come from: a graph that is built slice by slice cuts groups off. */
function shuffled(rows: Uint32Array): Uint32Array {
  const order = rows.slice();
  for (let i = order.length - 1; i > 0; i -= 1) {
    const other = hashOf(i, graph.seed) % (i + 1);
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  return order;
}

async function describe(
  memory: WebAssembly.Memory,
  room: GraphRoom,
  space: CodeSpace,
  order: Uint32Array,
): Promise<void> {
  const { head, desks: desk, codes, count, dims } = room;
  const kernels = await attachCodeKernels(memory);
  new RowCodes(kernels, count, dims, { head, desk, codes }).describe(space);
  new Uint32Array(memory.buffer, room.order, order.length).set(order);
  const { starts, ends } = linksOf(memory, room);
  ends.set(starts);
}

function linksOf({ buffer }: WebAssembly.Memory, { count, links, ends }: GraphRoom) {
  return {
    starts: Uint32Array.from({ length: count }, (_, row) => row * MOST_LINKS),
    ends: new Uint32Array(buffer, ends, count),
    ids: new Uint32Array(buffer, links, count * MOST_LINKS),
  };
}

/** Sees to it that a link leads to every node, from its nearest: in the place of the farthest that others lead to. */
function linkEvery(
  order: Uint32Array,
  { starts, ends, ids }: ReturnType<typeof linksOf>,
  nearness: Float32Array,
): void {
  const incoming = new Uint32Array(starts.length);
  for (const row of order) for (let at = starts[row]!; at < ends[row]!; at += 1) incoming[ids[at]!]! += 1;
  for (const row of order) {
    if (incoming[row]! > 0 || ends[row] === starts[row]) continue;
    let nearest = starts[row]!;
    for (let at = nearest; at < ends[row]!; at += 1) if (nearness[at]! > nearness[nearest]!) nearest = at;
    const from = ids[nearest]!;
    let place = ends[from]!;
    if (place - starts[from]! === MOST_LINKS) {
      let farthest: number | undefined;
      for (let at = starts[from]!; at < place; at += 1)
        if (incoming[ids[at]!]! > 1 && (farthest === undefined || nearness[at]! < nearness[farthest]!))
          farthest = at;
      if (farthest === undefined) continue;
      place = farthest;
      incoming[ids[place]!]! -= 1;
    } else ends[from] = place + 1;
    ids[place] = row;
    nearness[place] = nearness[nearest]!;
    incoming[row] = 1;
  }
}
