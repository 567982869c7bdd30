import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { EventLoopQueue } from "../event-loop-queue.js";
import { BinaryCodeScan } from "./codes/binary-code-scan.js";
import { CodeScan } from "./codes/code-scan.js";
import { QueryReducer } from "./codes/reduce.js";
import { ExactScores } from "./exact-scores.js";
import { type Graph, loadGraphLibrary } from "./graph/hnsw.js";
import type { NearestOptions, NearestSearch } from "./nearest-search.js";
import { SearchPlan } from "./search-plan.js";
import { type Scored, TopK } from "./top-k.js";
import { VectorFile } from "./vector-file.js";
import { VECTOR_FILES } from "./vector-files.js";
import type { VectorSetManifest } from "./vector-set-manifest.js";

/** Vectors read and scored per turn of the event loop. */
const RERANK_CHUNK = 1024;

interface OpenGraph {
  readonly graph: Graph;
  readonly count: number;
}

interface CandidateSearch {
  readonly query: Float32Array;
  /** The query times the deviation of each dimension. */
  readonly weights: Float64Array;
  readonly depth: number;
  readonly rows: Uint32Array | undefined;
  readonly signal: AbortSignal | undefined;
}

interface OpenGraphs {
  readonly graphs: readonly OpenGraph[];
  readonly reducer: QueryReducer;
}

/**
 * An open vector set. A search narrows the candidates in stages: a scan of all binary codes (or HNSW graphs,
 * where the set has them and most rows pass the filter); then 4-bit codes of all dimensions, where present;
 * then exact inner products over 1536 dimensions, in double precision.
 */
export class VectorSet implements NearestSearch {
  private constructor(
    private readonly vectors: VectorFile,
    private readonly exact: ExactScores,
    private readonly deviation: Float32Array,
    private readonly binaryCodes: BinaryCodeScan | undefined,
    private readonly codes: Promise<CodeScan> | undefined,
    private readonly graphs: OpenGraphs | undefined,
    private readonly plan: SearchPlan,
    private readonly queue: EventLoopQueue,
  ) {}

  /**
   * Opens the set in a folder.
   * @param plan how many candidates a search reranks
   * @param queue shares the event loop with other searches
   * @throws SearchError if the set is incomplete.
   */
  static async open(
    dir: string,
    manifest: VectorSetManifest,
    plan = new SearchPlan(),
    queue = new EventLoopQueue(),
  ): Promise<VectorSet> {
    const { count, dims, sketch: binaryShape } = manifest;
    const path = (file: keyof typeof VECTOR_FILES) => join(dir, VECTOR_FILES[file]);
    const vectors = VectorFile.open(path("vectors"));
    try {
      return new VectorSet(
        vectors,
        await ExactScores.create(),
        await readFloatArray(path("deviation")),
        binaryShape === undefined
          ? undefined
          : await BinaryCodeScan.load(path("binaryCodes"), count, binaryShape),
        manifest.codes ? (await CodeScan.load(path("codes"), count, dims)).codes : undefined,
        await openGraphs(dir, manifest),
        plan,
        queue,
      );
    } catch (error) {
      vectors.close();
      throw error;
    }
  }

  /** Number of vectors. */
  get count(): number {
    return this.vectors.count;
  }

  /** Whether searches use graphs. */
  get hasGraph(): boolean {
    return this.graphs !== undefined;
  }

  /**
   * Returns the rows of largest inner product with the query (1536 dimensions), best first, at most `limit`;
   * ties by row number.
   */
  async nearest(query: Float32Array, limit: number, options: NearestOptions = {}): Promise<Scored> {
    const { rows, signal } = options;
    const available = rows?.length ?? this.count;
    const depth = Math.max(limit, options.depth ?? this.plan.depth(available / Math.max(1, this.count)));
    const { rerankDepth, rerankShare } = SEARCH_DEFAULTS.vector;
    const kept = Math.max(
      limit,
      rerankDepth,
      this.binaryCodes === undefined ? depth : Math.ceil(depth * rerankShare),
    );
    if (options.exact === true || available <= kept || depth === Number.POSITIVE_INFINITY)
      return this.rerank(query, rows ?? this.allRows(), limit, signal);
    const weights = new Float64Array(this.deviation.length);
    for (let i = 0; i < weights.length; i += 1) weights[i] = this.deviation[i]! * query[i]!;
    let candidates = rows;
    if (available > depth) {
      candidates = await this.candidates({ query, weights, depth, rows, signal });
      if (candidates !== undefined) await this.queue.next();
    }
    if (this.codes !== undefined && (candidates?.length ?? this.count) > kept) {
      const codes = await this.codes;
      candidates = await codes.nearest(weights, kept, this.queue, candidates, signal);
      await this.queue.next();
    }
    return this.rerank(query, candidates ?? this.allRows(), limit, signal);
  }

  /** Whether this many rows are all scored exactly, at any depth. */
  scoresAll(rows: number): boolean {
    return rows <= SEARCH_DEFAULTS.vector.rerankDepth;
  }

  /** Reads the vector of a row, 1536 numbers. */
  vector(row: number): Float32Array {
    return this.vectors.read(row);
  }

  /** Calls `offer` with the exact score of each row, synchronously. */
  score(query: Float32Array, rows: Uint32Array, offer: (row: number, score: number) => void): void {
    this.exact.score(query, this.vectors, rows, offer);
  }

  /** Reads the vectors of `count` rows from `first` on into `into`, which holds `count` × 1536 numbers. */
  readRun(first: number, count: number, into: Float32Array): void {
    this.vectors.readRun(first, count, into);
  }

  /** Closes the file of vectors. */
  close(): void {
    this.vectors.close();
  }

  private async candidates({
    query,
    weights,
    depth,
    rows,
    signal,
  }: CandidateSearch): Promise<Uint32Array | undefined> {
    const share = (rows?.length ?? this.count) / this.count;
    if (this.graphs !== undefined && share >= SEARCH_DEFAULTS.vector.graphShare)
      return this.byGraph(this.graphs, query, depth, rows, signal);
    return this.binaryCodes === undefined ? rows : this.binaryCodes.nearest(weights, depth, rows);
  }

  private async byGraph(
    { graphs, reducer }: OpenGraphs,
    query: Float32Array,
    depth: number,
    rows: Uint32Array | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Uint32Array> {
    const allowed = rows === undefined ? undefined : bitsOf(rows, this.count);
    const accept =
      allowed === undefined ? undefined : (row: number) => (allowed[row >> 5]! >>> (row & 31)) % 2 === 1;
    const point = Array.from(reducer.reduce(query));
    const best = new TopK(depth);
    for (const { graph, count } of graphs) {
      signal?.throwIfAborted();
      const wanted = Math.min(count, depth);
      graph.setEf(wanted);
      const { neighbors, distances } = graph.searchKnn(point, wanted, accept);
      neighbors.forEach((row, i) => {
        best.offer(row, -distances[i]!);
      });
      await this.queue.next();
    }
    return Uint32Array.from(best.rows()).sort();
  }

  private async rerank(
    query: Float32Array,
    rows: Uint32Array,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Scored> {
    const best = new TopK(Math.min(limit, rows.length));
    for (let first = 0; first < rows.length; first += RERANK_CHUNK) {
      if (first > 0) await this.queue.next();
      signal?.throwIfAborted();
      const chunk = rows.subarray(first, first + RERANK_CHUNK);
      // A third is read in this thread, the rest by the thread pool at the same time.
      const ahead = this.vectors.readAhead(chunk.subarray(Math.ceil(chunk.length / 3)));
      try {
        this.score(query, chunk, (row, score) => {
          best.offer(row, score);
        });
      } finally {
        await ahead;
      }
    }
    return best.sorted();
  }

  private allRows(): Uint32Array {
    return Uint32Array.from({ length: this.count }, (_, row) => row);
  }
}

async function openGraphs(dir: string, { graphs }: VectorSetManifest): Promise<OpenGraphs | undefined> {
  if (graphs === undefined) return undefined;
  const library = await loadGraphLibrary();
  if (!library.available) return undefined;
  const { dims, basis, files } = graphs;
  const open: OpenGraph[] = [];
  for (const { file, count } of files) {
    const graph = new library.Graph("ip", dims);
    await graph.readIndex(join(dir, file));
    open.push({ graph, count });
  }
  const reducer = await QueryReducer.create(
    basis === "leading" ? { dims } : { dims, basis: await readFloatArray(join(dir, VECTOR_FILES.basis)) },
  );
  return { graphs: open, reducer };
}

function bitsOf(rows: Uint32Array, size: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(size / 32));
  for (const row of rows) bits[row >> 5]! |= 1 << (row & 31);
  return bits;
}

async function readFloatArray(path: string): Promise<Float32Array> {
  const bytes = await readFile(path);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
