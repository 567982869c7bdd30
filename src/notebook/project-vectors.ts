import { z } from "zod";
import { checkArgument } from "../contract/check-options.js";
import { errorValue } from "../contract/error-value.js";
import { UsageError } from "../contract/errors.js";
import { nextTurn } from "../next-turn.js";

/** Vectors projected to two dimensions. */
export interface Projection {
  /** Coordinates of each vector, in input order. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Shares of the total variance on the two axes, 0 to 1. */
  readonly explained: readonly [number, number];
}

/** Number of iterated directions; more than two, so that the first two converge fast. */
const DIRECTIONS = 6;
const ITERATIONS = 40;

/** Vectors that are gone through before other work has its turn. */
const ROWS_A_TURN = 32;
const SPREAD_A_TURN = 256;

const VectorsOption = z.array(
  z.custom<ArrayLike<number>>(
    (value) => typeof value === "object" && value !== null && "length" in value,
    "must be a vector: an array of numbers",
  ),
);

/**
 * Projects vectors to two dimensions: their first two principal components (Hotelling 1933), by orthogonal iteration with
 * Rayleigh–Ritz. If `explained` is small, distance on the map says little about distance of the vectors. Deterministic.
 * @throws UsageError `vectors_differ` if the vectors have different lengths, `not_a_number` for a number that is not finite
 */
export async function projectVectors(vectors: readonly ArrayLike<number>[]): Promise<Projection> {
  checkArgument(VectorsOption, vectors, "vectors", "projectVectors");
  const width = vectors[0]?.length ?? 0;
  const odd = vectors.find((vector) => vector.length !== width);
  if (odd !== undefined)
    throw new UsageError(
      "vectors_differ",
      `Vectors of ${width} and of ${odd.length} numbers have no map in common`,
      {
        value: odd.length,
        remedy: "take vectors of one model only",
      },
    );
  const rows = await centred(vectors, width);
  const total = rows.reduce((sum, row) => sum + dot(row, row), 0);
  if (rows.length < 2 || total === 0) return { points: rows.map(() => ({ x: 0, y: 0 })), explained: [0, 0] };

  let basis = orthonormal(
    Array.from({ length: Math.min(DIRECTIONS, width) }, (_, i) => seeded(width, i + 1)),
  );
  for (let i = 0; i < ITERATIONS; i++) {
    basis = orthonormal(await spreadAll(rows, basis));
  }
  const { axes, variances } = settle(basis, await spreadAll(rows, basis));
  const [first, second] = [axes[0]!, axes[1] ?? new Float64Array(width)];
  const points = rows.map((row) => ({ x: dot(row, first), y: dot(row, second) }));
  return { points, explained: [(variances[0] ?? 0) / total, (variances[1] ?? 0) / total] };
}

/** Vectors less their mean; other work has its turn after so many of them. */
async function centred(vectors: readonly ArrayLike<number>[], width: number): Promise<Float64Array[]> {
  const mean = new Float64Array(width);
  for (const [at, vector] of vectors.entries()) {
    for (let i = 0; i < width; i++) {
      if (!Number.isFinite(vector[i])) throw notANumber(at, vector[i]);
      mean[i]! += vector[i]! / vectors.length;
    }
    if (at % ROWS_A_TURN === 0) await nextTurn();
  }
  const rows: Float64Array[] = [];
  for (const [at, vector] of vectors.entries()) {
    const row = new Float64Array(width);
    for (let i = 0; i < width; i++) row[i] = vector[i]! - mean[i]!;
    rows.push(row);
    if (at % ROWS_A_TURN === 0) await nextTurn();
  }
  return rows;
}

function notANumber(at: number, value: unknown): UsageError {
  return new UsageError("not_a_number", `Vector ${at} holds ${String(value)}, which is no finite number`, {
    value: errorValue(value),
    remedy: "leave this vector out, or compute it again",
  });
}

/** Product of the covariance and each direction without forming the covariance: Σ row · (row · direction). */
async function spreadAll(
  rows: readonly Float64Array[],
  directions: readonly Float64Array[],
): Promise<Float64Array[]> {
  const spread: Float64Array[] = [];
  for (const direction of directions) {
    const sum = new Float64Array(direction.length);
    for (const [at, row] of rows.entries()) {
      const length = dot(row, direction);
      for (let i = 0; i < sum.length; i++) sum[i]! += row[i]! * length;
      if (at % SPREAD_A_TURN === 0) await nextTurn();
    }
    spread.push(sum);
  }
  return spread;
}

/** Gram–Schmidt, twice for accuracy; vanishing directions are dropped. */
function orthonormal(directions: readonly Float64Array[]): Float64Array[] {
  const kept: Float64Array[] = [];
  for (const direction of directions) {
    const rest = Float64Array.from(direction);
    const before = Math.sqrt(dot(rest, rest));
    for (let pass = 0; pass < 2; pass++)
      for (const other of kept) {
        const part = dot(rest, other);
        for (let i = 0; i < rest.length; i++) rest[i]! -= part * other[i]!;
      }
    const length = Math.sqrt(dot(rest, rest));
    if (length > before * 1e-9) kept.push(rest.map((value) => value / length));
  }
  return kept;
}

/** Principal axes within a basis, by descending variance, signed so that the largest component is positive. */
function settle(
  basis: readonly Float64Array[],
  images: readonly Float64Array[],
): { readonly axes: readonly Float64Array[]; readonly variances: readonly number[] } {
  const small = basis.map((a) => images.map((b) => dot(a, b)));
  const turned = jacobi(small);
  const order = turned.values.map((_, i) => i).sort((a, b) => turned.values[b]! - turned.values[a]!);
  const axes = order.map((at) => {
    const axis = new Float64Array(basis[0]!.length);
    basis.forEach((direction, i) => {
      for (let k = 0; k < axis.length; k++) axis[k]! += direction[k]! * turned.vectors[i]![at]!;
    });
    const greatest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
    return greatest < 0 ? axis.map((value) => -value) : axis;
  });
  return { axes, variances: order.map((at) => turned.values[at]!) };
}

/** Eigenvalues and eigenvectors (as columns) of a small symmetric matrix, by cyclic Jacobi rotations. */
function jacobi(matrix: readonly (readonly number[])[]): { values: number[]; vectors: number[][] } {
  const size = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v = a.map((_, i) => a.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 30; sweep++)
    for (let p = 0; p < size; p++)
      for (let q = p + 1; q < size; q++) {
        if (Math.abs(a[p]![q]!) < 1e-300) continue;
        const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        for (let k = 0; k < size; k++) rotate(a[k]!, p, q, c, t * c);
        for (let k = 0; k < size; k++) {
          const [x, y] = [a[p]![k]!, a[q]![k]!];
          a[p]![k] = c * x - t * c * y;
          a[q]![k] = t * c * x + c * y;
        }
        for (let k = 0; k < size; k++) rotate(v[k]!, p, q, c, t * c);
      }
  return { values: a.map((row, i) => row[i]!), vectors: v };
}

function rotate(row: number[], p: number, q: number, c: number, s: number): void {
  const [x, y] = [row[p]!, row[q]!];
  row[p] = c * x - s * y;
  row[q] = s * x + c * y;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** A deterministic start direction, from a linear congruential generator. */
function seeded(width: number, seed: number): Float64Array {
  let state = Math.imul(seed, 2654435761) >>> 0;
  return new Float64Array(width).map(() => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}
