import { KERNELS_BINARY } from "./kernels-binary.js";

/** What kernels.wat exports: each function is described there. Addresses and strides are in bytes. */
export interface EmbedKernels {
  readonly memory: WebAssembly.Memory;
  gather(
    starts: number,
    lists: number,
    rows: number,
    weights: number,
    scales: number,
    table: number,
    out: number,
    stride: number,
  ): number;
  scatter(entries: number, rows: number, weights: number, count: number, out: number): number;
  blend(row: number, dims: number, factor: number, other: number): void;
  deal(from: number, rows: number, dims: number, places: number, table: number, stride: number): void;
  measure(row: number, dims: number, out: number): void;
  narrow(row: number, dims: number, factor: number, out: number): void;
}

const PAGE = 65_536;

/**
 * Kernels over a memory of their own. Sums are of whole numbers or run in one order in single precision, so the results are
 * the same on every machine. Throws `RangeError` where that much memory cannot be had.
 */
export async function createKernels(bytes: number): Promise<EmbedKernels> {
  const { instance } = await WebAssembly.instantiate(Buffer.from(KERNELS_BINARY, "base64"));
  const kernels = instance.exports as unknown as EmbedKernels;
  kernels.memory.grow(Math.ceil(bytes / PAGE));
  return kernels;
}
