import { setImmediate as turn } from "node:timers/promises";
import { SEARCH_DEFAULTS } from "../../defaults.js";
import { Kernels, packPanels } from "../kernels.js";
import type { Vectors } from "../vectors.js";
import { principalBasis } from "./pca.js";

const FULL = SEARCH_DEFAULTS.dimensions;
const BLOCK = 256;

/** How vectors are reduced to fewer dimensions for graphs. */
export interface Reduction {
  readonly dims: number;
  /** Row-major, 1536 × dims; absent where the first `dims` dimensions are used unchanged. */
  readonly basis?: Float32Array;
}

/**
 * Chooses the reduction of a set for its graphs: all used dimensions where these are few, else principal
 * components, fitted to evenly spaced vectors.
 */
export async function chooseReduction(vectors: Vectors, used: number): Promise<Reduction> {
  const { reducedDims, projectionSample } = SEARCH_DEFAULTS.vector;
  if (used <= reducedDims) return { dims: used };
  const rows = Math.max(4, Math.min(projectionSample, Math.floor(vectors.count / 4) * 4));
  const sample = new Float32Array(rows * FULL);
  for (let i = 0; i < Math.min(rows, vectors.count); i += 1) {
    const position = Math.floor((i * vectors.count) / rows);
    vectors.readRun(position, 1, sample.subarray(i * FULL, (i + 1) * FULL));
  }
  return { dims: reducedDims, basis: await principalBasis(sample, rows, FULL, reducedDims) };
}

/** Yields the reduced vectors of a whole set, a block of rows at a time. The next block reuses the array. */
export async function* reduceAll(
  vectors: Vectors,
  { dims, basis }: Reduction,
  signal?: AbortSignal,
): AsyncGenerator<{ readonly rows: number; readonly values: Float32Array }> {
  const panels = BLOCK * FULL * 4;
  const out = panels + (basis?.byteLength ?? 0);
  const kernels = await Kernels.create(out + BLOCK * dims * 4);
  const input = kernels.floats(0, BLOCK * FULL);
  const output = kernels.floats(out, BLOCK * dims);
  if (basis !== undefined) packPanels(basis, FULL, dims, kernels.floats(panels, basis.length));
  for (let first = 0; first < vectors.count; first += BLOCK) {
    signal?.throwIfAborted();
    const rows = Math.min(BLOCK, vectors.count - first);
    vectors.readRun(first, rows, input);
    if (basis !== undefined) kernels.multiply(0, Math.ceil(rows / 4) * 4, FULL, panels, dims, out);
    else
      for (let row = 0; row < rows; row += 1)
        output.set(input.subarray(row * FULL, row * FULL + dims), row * dims);
    yield { rows, values: output.subarray(0, rows * dims) };
    await turn();
  }
}

/** Reduces queries to the dimensions of a set's graphs: inner products with the basis, in double precision. */
export class QueryReducer {
  private constructor(
    private readonly dims: number,
    private readonly kernels: Kernels | undefined,
  ) {}

  /** Creates the reducer of a reduction. */
  static async create({ dims, basis }: Reduction): Promise<QueryReducer> {
    if (basis === undefined) return new QueryReducer(dims, undefined);
    const kernels = await Kernels.create((FULL + dims) * 8 + basis.byteLength);
    kernels.floats((FULL + dims) * 8, basis.length).set(basis);
    return new QueryReducer(dims, kernels);
  }

  /** Returns the reduced query in a new array. */
  reduce(query: Float32Array): Float64Array {
    const { dims, kernels } = this;
    if (kernels === undefined) return Float64Array.from(query.subarray(0, dims));
    kernels.doubles(0, FULL).set(query);
    kernels.project(0, FULL, (FULL + dims) * 8, dims, FULL * 8);
    return kernels.doubles(FULL * 8, dims).slice();
  }
}
