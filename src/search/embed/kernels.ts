import { KERNELS_BINARY } from "./kernels-binary.js";

/** Exports of kernels.wat, documented there. Addresses and strides are in bytes. */
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
/** The compiled binary, which never changes: every instance has its own memory. */
let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * Creates kernels with their own memory. Sums are of integers, or in a fixed order in single precision, so
 * results are the same on every machine.
 * @throws RangeError if that much memory is not available.
 */
export async function createKernels(bytes: number): Promise<EmbedKernels> {
  compiled ??= WebAssembly.compile(Buffer.from(KERNELS_BINARY, "base64"));
  const instance = await WebAssembly.instantiate(await compiled);
  const kernels = instance.exports as unknown as EmbedKernels;
  kernels.memory.grow(Math.ceil(bytes / PAGE));
  return kernels;
}
