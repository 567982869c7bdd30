import { KERNELS_BINARY, SHARED_KERNELS_BINARY } from "./kernels-binary.js";

/** Exports of kernels.wat, documented there. Addresses and strides are in bytes. */
export interface CodeKernels {
  readonly memory: WebAssembly.Memory;
  codeVectors(
    vectors: number,
    count: number,
    stride: number,
    dims: number,
    factors: number,
    added: number,
    cells: number,
    codes: number,
  ): void;
  scoreCodes(
    codes: number,
    bytes: number,
    rows: number,
    count: number,
    weights: number,
    levels: number,
    out: number,
  ): void;
  weighCodes(codes: number, bytes: number, levels: number, bases: number, factors: number, out: number): void;
}

const PAGE = 65_536;
/** The compiled binaries, which never change: of instances that have memory of their own, and that are given one. */
let compiled: Promise<WebAssembly.Module> | undefined;
let compiledShared: Promise<WebAssembly.Module> | undefined;

/**
 * Creates kernels with their own memory. Sums are of integers, or in a fixed order in single precision, so results are the same on
 * every machine.
 * @throws RangeError if that much memory is not available.
 */
export async function createCodeKernels(bytes: number): Promise<CodeKernels> {
  compiled ??= WebAssembly.compile(Buffer.from(KERNELS_BINARY, "base64"));
  const { exports } = await WebAssembly.instantiate(await compiled);
  const kernels = exports as unknown as CodeKernels;
  kernels.memory.grow(Math.ceil(bytes / PAGE));
  return kernels;
}

/** Creates kernels that work in memory that threads share. */
export async function attachCodeKernels(memory: WebAssembly.Memory): Promise<CodeKernels> {
  compiledShared ??= WebAssembly.compile(Buffer.from(SHARED_KERNELS_BINARY, "base64"));
  const { exports } = await WebAssembly.instantiate(await compiledShared, { shared: { memory } });
  return { ...(exports as unknown as Omit<CodeKernels, "memory">), memory };
}
