import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EventLoopQueue } from "../../event-loop-queue.js";
import { QueryReducer } from "../codes/reduce.js";
import { TopK } from "../top-k.js";
import { VECTOR_FILES } from "../vector-files.js";
import type { VectorSetManifest } from "../vector-set-manifest.js";
import { twinsByNode } from "./graph-nodes.js";
import { type Graph, loadGraphLibrary } from "./hnsw.js";

/** The HNSW graphs of a set. */
export class OpenGraphs {
  private constructor(
    private readonly graphs: readonly { readonly graph: Graph; readonly count: number }[],
    private readonly twins: ReadonlyMap<number, readonly number[]>,
    private readonly reducer: QueryReducer,
    /** Rows of the set. */
    private readonly rows: number,
  ) {}

  /** Reads the graphs of a set; undefined if it has none, or hnswlib-node is not available. */
  static async open(
    dir: string,
    { graphs, count: rows }: VectorSetManifest,
  ): Promise<OpenGraphs | undefined> {
    if (graphs === undefined) return undefined;
    const library = await loadGraphLibrary();
    if (!library.available) return undefined;
    const { dims, basis, files } = graphs;
    const open: { graph: Graph; count: number }[] = [];
    for (const { file, count } of files) {
      const graph = new library.Graph("ip", dims);
      await graph.readIndex(join(dir, file));
      open.push({ graph, count });
    }
    const reducer = await QueryReducer.create(
      basis === "leading" ? { dims } : { dims, basis: await readBasis(dir) },
    );
    return new OpenGraphs(open, twinsByNode(await readTwins(dir)), reducer, rows);
  }

  /** Finds `depth` nodes with as broad a search, and returns their rows and twins, ascending, of those in `among`; default: all. */
  async nearest(
    query: Float32Array,
    depth: number,
    options: {
      readonly among?: Uint32Array;
      readonly queue: EventLoopQueue;
      readonly signal?: AbortSignal;
    },
  ): Promise<Uint32Array> {
    const { among, queue, signal } = options;
    const allowed = among === undefined ? undefined : bitsOf(among, this.rows);
    const passes = (row: number) => allowed === undefined || (allowed[row >> 5]! >>> (row & 31)) % 2 === 1;
    const twinsOf = (node: number) => this.twins.get(node) ?? NO_TWINS;
    const accept =
      allowed === undefined ? undefined : (node: number) => passes(node) || twinsOf(node).some(passes);
    const point = Array.from(this.reducer.reduce(query));
    const best = new TopK(depth);
    for (const { graph, count } of this.graphs) {
      signal?.throwIfAborted();
      const wanted = Math.min(count, depth);
      graph.setEf(wanted);
      const { neighbors, distances } = graph.searchKnn(point, wanted, accept);
      neighbors.forEach((row, i) => {
        best.offer(row, -distances[i]!);
      });
      await queue.next();
    }
    const found: number[] = [];
    for (const node of best.rows()) {
      if (passes(node)) found.push(node);
      for (const twin of twinsOf(node)) if (passes(twin)) found.push(twin);
    }
    return Uint32Array.from(found).sort();
  }
}

const NO_TWINS: readonly number[] = [];

async function readTwins(dir: string): Promise<Uint32Array> {
  const bytes = await readFile(join(dir, VECTOR_FILES.graphTwins));
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** A bit for each of `size` rows, set for those given. */
function bitsOf(rows: Uint32Array, size: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(size / 32));
  for (const row of rows) bits[row >> 5]! |= 1 << (row & 31);
  return bits;
}

async function readBasis(dir: string): Promise<Float32Array> {
  const bytes = await readFile(join(dir, VECTOR_FILES.basis));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
