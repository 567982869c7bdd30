import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { Turns } from "../turns.js";
import { Best, type Scored } from "./best.js";
import { CodeScan } from "./code-scan.js";
import { ExactScores } from "./exact-scores.js";
import { type Graph, loadGraphLibrary } from "./hnsw.js";
import { QueryReducer, type Reduction } from "./reduce.js";
import { SearchPlan } from "./search-plan.js";
import { VectorFile } from "./vector-file.js";
import { readVectorSetManifest, VECTOR_FILES } from "./vector-set-manifest.js";

/** Vectors that are read and scored between two turns of the event loop. */
const RERANK_CHUNK = 1024;

/** Options of {@link VectorSet.nearest}. */
export interface NearestOptions {
  /** The only rows that may answer, ascending; all where absent. */
  readonly rows?: Uint32Array;
  /** Score every row by its 1536 numbers. */
  readonly exact?: boolean;
  /** Candidates to choose by codes of fewer dimensions, at least the limit; by the set's plan where absent. */
  readonly depth?: number;
  readonly signal?: AbortSignal;
}

interface OpenGraph {
  readonly graph: Graph;
  readonly count: number;
}

/**
 * An open set of vectors, searched in steps, each over what the one before left: candidates by codes of fewer dimensions (a
 * scan, of a large set by its first principal directions first; or HNSW graphs for many rows); the best of these by codes of
 * all dimensions, where the set keeps them; then the exact inner product with each one's 1536 numbers, in double precision.
 */
export class VectorSet {
  private constructor(
    private readonly vectors: VectorFile,
    private readonly reducer: QueryReducer,
    private readonly exact: ExactScores,
    private readonly coarse: CodeScan | undefined,
    private readonly scan: CodeScan,
    private readonly fine: CodeScan | undefined,
    private readonly graphs: readonly OpenGraph[],
    private readonly plan: SearchPlan,
    private readonly turns: Turns,
  ) {}

  /** Opens the set in a folder, to be searched by a plan, in turn with other searches. Throws `SearchError` where it is not whole. */
  static async open(dir: string, plan = new SearchPlan(), turns = new Turns()): Promise<VectorSet> {
    const manifest = await readVectorSetManifest(dir);
    const { dims } = manifest;
    const scales = await readFloatArray(join(dir, VECTOR_FILES.scales));
    const { count } = manifest;
    const codes = join(dir, VECTOR_FILES.codes);
    const scan = await CodeScan.load(codes, { count, dims }, scales);
    const coarse = manifest.fine
      ? await CodeScan.load(codes, { count, dims, prefix: SEARCH_DEFAULTS.vector.coarseDims }, scales)
      : undefined;
    const fine = manifest.fine
      ? await CodeScan.load(
          join(dir, VECTOR_FILES.fineCodes),
          { count, dims: SEARCH_DEFAULTS.dimensions },
          await readFloatArray(join(dir, VECTOR_FILES.fineScales)),
        )
      : undefined;
    const reduction: Reduction =
      manifest.basis === "leading"
        ? { dims }
        : { dims, basis: await readFloatArray(join(dir, VECTOR_FILES.basis)) };
    const library = manifest.graphs.length === 0 ? undefined : await loadGraphLibrary();
    const graphs: OpenGraph[] = [];
    if (library?.available === true) {
      for (const { file, count } of manifest.graphs) {
        const graph = new library.Graph("ip", dims);
        await graph.readIndex(join(dir, file));
        graphs.push({ graph, count });
      }
    }
    return new VectorSet(
      VectorFile.open(join(dir, VECTOR_FILES.vectors)),
      await QueryReducer.create(reduction),
      await ExactScores.create(),
      coarse,
      scan,
      fine,
      graphs,
      plan,
      turns,
    );
  }

  get count(): number {
    return this.vectors.count;
  }

  /** Whether large sets are searched through graphs here. */
  get hasGraph(): boolean {
    return this.graphs.length > 0;
  }

  /** The rows of largest inner product with the query (1536 numbers), best first, at most `limit`; ties by row. */
  async nearest(query: Float32Array, limit: number, options: NearestOptions = {}): Promise<Scored> {
    const { rows, signal } = options;
    const available = rows?.length ?? this.count;
    const depth = Math.max(limit, options.depth ?? this.plan.depth(available / Math.max(1, this.count)));
    const kept = Math.max(limit, SEARCH_DEFAULTS.vector.rerankDepth);
    if (options.exact === true || available <= kept || depth === Number.POSITIVE_INFINITY)
      return this.#rerank(query, rows ?? this.#allRows(), limit, signal);
    let candidates = available <= depth ? rows : await this.#candidates(query, depth, rows, signal);
    if (this.fine !== undefined && (candidates?.length ?? this.count) > kept) {
      await this.turns.next();
      const full = Float64Array.from(query);
      candidates = await this.fine.nearest(full, kept, this.turns, candidates, signal);
    }
    await this.turns.next();
    return this.#rerank(query, candidates ?? this.#allRows(), limit, signal);
  }

  /** Whether so many rows are few enough to be scored one and all, at any depth. */
  scoresAll(rows: number): boolean {
    return rows <= SEARCH_DEFAULTS.vector.rerankDepth;
  }

  /** The vector of a row, 1536 numbers. */
  vector(row: number): Float32Array {
    return this.vectors.read(row);
  }

  /** Tells `offer` the exact score of each row, at once. */
  score(query: Float32Array, rows: Uint32Array, offer: (row: number, score: number) => void): void {
    this.exact.score(query, this.vectors, rows, offer);
  }

  /** Reads the vectors of `count` rows from `first` on into `into`, which holds `count` × 1536 numbers. */
  readRun(first: number, count: number, into: Float32Array): void {
    this.vectors.readRun(first, count, into);
  }

  close(): void {
    this.vectors.close();
  }

  async #candidates(
    query: Float32Array,
    depth: number,
    rows: Uint32Array | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Uint32Array> {
    const reduced = this.reducer.reduce(query);
    const byGraph =
      this.hasGraph && (rows?.length ?? this.count) >= this.count * SEARCH_DEFAULTS.vector.graphShare;
    if (byGraph) return this.#byGraph(reduced, depth, rows, signal);
    const { coarseKept, coarseFactor } = SEARCH_DEFAULTS.vector;
    const kept = Math.max(coarseKept, coarseFactor * depth);
    let among = rows;
    if (this.coarse !== undefined && (rows?.length ?? this.count) > kept) {
      among = await this.coarse.nearest(reduced, kept, this.turns, rows, signal);
    }
    return this.scan.nearest(reduced, depth, this.turns, among, signal);
  }

  async #byGraph(
    reduced: Float64Array,
    depth: number,
    rows: Uint32Array | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Uint32Array> {
    const allowed = rows === undefined ? undefined : bitsOf(rows, this.count);
    const accept =
      allowed === undefined ? undefined : (row: number) => (allowed[row >> 5]! >>> (row & 31)) % 2 === 1;
    const point = Array.from(reduced);
    const best = new Best(depth);
    for (const { graph, count } of this.graphs) {
      signal?.throwIfAborted();
      const wanted = Math.min(count, depth);
      graph.setEf(wanted);
      const { neighbors, distances } = graph.searchKnn(point, wanted, accept);
      neighbors.forEach((row, i) => {
        best.offer(row, -distances[i]!);
      });
      await this.turns.next();
    }
    return Uint32Array.from(best.rows()).sort();
  }

  async #rerank(
    query: Float32Array,
    rows: Uint32Array,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Scored> {
    const best = new Best(Math.min(limit, rows.length));
    for (let first = 0; first < rows.length; first += RERANK_CHUNK) {
      if (first > 0) await this.turns.next();
      signal?.throwIfAborted();
      this.score(query, rows.subarray(first, first + RERANK_CHUNK), (row, score) => {
        best.offer(row, score);
      });
    }
    return best.sorted();
  }

  #allRows(): Uint32Array {
    return Uint32Array.from({ length: this.count }, (_, row) => row);
  }
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
