import { Kernels, packPanels } from "../kernels.js";

const PASSES = 4;

/**
 * An orthonormal basis of the `columns` principal directions of a sample: orthogonal iteration on its
 * covariance (Golub and Van Loan, section 7.3), started from the coordinate axes of largest variance, so it is
 * deterministic.
 * @param sample row-major, `rows` (a multiple of 4) × `depth` (a multiple of 8); centred in place
 * @returns the basis, row-major, `depth` × `columns` (a multiple of 8)
 */
export async function principalBasis(
  sample: Float32Array,
  rows: number,
  depth: number,
  columns: number,
): Promise<Float32Array> {
  centre(sample, rows, depth);
  const covariance = await multiply(transpose(sample, rows, depth), depth, rows, sample, depth);
  const axes = Array.from({ length: depth }, (_, i) => i)
    .sort((a, b) => covariance[b * depth + b]! - covariance[a * depth + a]! || a - b)
    .slice(0, columns);
  let basis: Float32Array = new Float32Array(depth * columns);
  axes.forEach((axis, column) => {
    basis[axis * columns + column] = 1;
  });
  for (let pass = 0; pass < PASSES; pass += 1) {
    basis = await multiply(covariance, depth, depth, basis, columns);
    orthonormalize(basis, depth, columns);
  }
  return basis;
}

/** The product of two row-major matrices, `rows` × `depth` and `depth` × `columns`. */
async function multiply(
  left: Float32Array,
  rows: number,
  depth: number,
  right: Float32Array,
  columns: number,
): Promise<Float32Array> {
  const panels = left.byteLength;
  const out = panels + right.byteLength;
  const kernels = await Kernels.create(out + rows * columns * 4);
  kernels.floats(0, left.length).set(left);
  packPanels(right, depth, columns, kernels.floats(panels, right.length));
  kernels.multiply(0, rows, depth, panels, columns, out);
  return kernels.floats(out, rows * columns).slice();
}

function centre(sample: Float32Array, rows: number, depth: number): void {
  const mean = new Float64Array(depth);
  for (let row = 0; row < rows; row += 1) {
    for (let i = 0; i < depth; i += 1) mean[i]! += sample[row * depth + i]! / rows;
  }
  for (let row = 0; row < rows; row += 1) {
    for (let i = 0; i < depth; i += 1) sample[row * depth + i]! -= mean[i]!;
  }
}

function transpose(matrix: Float32Array, rows: number, columns: number): Float32Array {
  const transposed = new Float32Array(matrix.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1)
      transposed[column * rows + row] = matrix[row * columns + column]!;
  }
  return transposed;
}

/** Modified Gram-Schmidt over the columns, twice: once is not enough in single precision. */
function orthonormalize(basis: Float32Array, depth: number, columns: number): void {
  const transposed = transpose(basis, depth, columns);
  const column = (c: number) => transposed.subarray(c * depth, (c + 1) * depth);
  for (let c = 0; c < columns; c += 1) {
    const vector = column(c);
    for (let round = 0; round < 2; round += 1) {
      for (let other = 0; other < c; other += 1) subtractProjection(vector, column(other));
    }
    scaleToUnit(vector);
  }
  basis.set(transpose(transposed, columns, depth));
}

function subtractProjection(vector: Float32Array, unit: Float32Array): void {
  let dot = 0;
  for (let i = 0; i < vector.length; i += 1) dot += vector[i]! * unit[i]!;
  for (let i = 0; i < vector.length; i += 1) vector[i]! -= dot * unit[i]!;
}

function scaleToUnit(vector: Float32Array): void {
  let square = 0;
  for (let i = 0; i < vector.length; i += 1) square += vector[i]! * vector[i]!;
  const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
  for (let i = 0; i < vector.length; i += 1) vector[i]! *= scale;
}
