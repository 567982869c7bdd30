import { KERNELS_BINARY, SHARED_KERNELS_BINARY } from "./kernels-binary.js";

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
  tally(row: number, dims: number, out: number): void;
  signs(row: number, dims: number, out: number): void;
  codes(row: number, dims: number, from: number, out: number): void;
  list(row: number, dims: number, least: number, out: number): number;
}

const PAGE = 65_536;
/** The compiled binaries, which never change: of instances that have memory of their own, and that are given one. */
let compiled: Promise<WebAssembly.Module> | undefined;
let compiledShared: Promise<WebAssembly.Module> | undefined;

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

/**
 * Allocates memory that threads share, of zeros.
 * @throws RangeError if that much is not available.
 */
export function sharedMemory(bytes: number): WebAssembly.Memory {
  const pages = Math.max(1, Math.ceil(bytes / PAGE));
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

/** Creates kernels that work in memory that threads share. */
export async function attachKernels(memory: WebAssembly.Memory): Promise<EmbedKernels> {
  compiledShared ??= WebAssembly.compile(Buffer.from(SHARED_KERNELS_BINARY, "base64"));
  const { exports } = await WebAssembly.instantiate(await compiledShared, { shared: { memory } });
  return { ...(exports as unknown as Omit<EmbedKernels, "memory">), memory };
}
