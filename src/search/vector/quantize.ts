const INT8 = 127;
const INT16 = 32_767;
const INT32 = 2_147_483_647;

/** Turns reduced vectors into codes: each dimension by a scale of its own, to signed bytes. */
export function quantize(values: Float32Array, dims: number, scales: Float32Array, into: Int8Array): void {
  for (let row = 0; row < values.length; row += dims) {
    for (let i = 0; i < dims; i += 1) {
      const scale = scales[i]!;
      into[row + i] = scale === 0 ? 0 : Math.max(-INT8, Math.min(INT8, Math.round(values[row + i]! / scale)));
    }
  }
}

/** The scale of each dimension: its largest magnitude over the set takes the code 127. */
export function scalesOf(largest: Float32Array): Float32Array {
  return largest.map((magnitude) => magnitude / INT8);
}

/**
 * A reduced query as 16-bit integers with the codes' scales folded in, as fine as can be without any sum of products
 * leaving 32 bits.
 */
export function quantizeQuery(reduced: Float64Array, scales: Float32Array, into: Int16Array): void {
  let largest = 0;
  let total = 0;
  for (let i = 0; i < reduced.length; i += 1) {
    const magnitude = Math.abs(reduced[i]! * scales[i]!);
    largest = Math.max(largest, magnitude);
    total += magnitude;
  }
  const unit = largest === 0 ? 0 : Math.min(INT16 / largest, (INT32 / INT8 - reduced.length) / total);
  for (let i = 0; i < reduced.length; i += 1) into[i] = Math.round(reduced[i]! * scales[i]! * unit);
}
