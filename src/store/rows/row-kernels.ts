import { KERNELS_BINARY } from "./kernels-binary.js";

/** Exports of kernels.wat. Addresses are byte offsets in its memory; places count from a window's address. */
export interface RowKernels {
  readonly memory: WebAssembly.Memory;
  unpack(at: number, end: number, least: number, to: number, limit: number): number;
  enter(at: number, end: number, heads: number, before: number, window: number): void;
  pack(first: number, end: number, heads: number, before: number, window: number, out: number): number;
}

/** What the kernels may read and write past the end of what they are given. */
export const PAST = 16;

const PAGE = 65_536;

/** The compiled binary, which never changes: every instance has its own memory. */
let compiled: WebAssembly.Module | undefined;

/** Kernels with a memory of their own. */
export function rowKernels(): RowKernels {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNELS_BINARY, "base64"));
  return new WebAssembly.Instance(compiled).exports as unknown as RowKernels;
}

/** Makes a memory as large as wanted, where it is smaller; views of it are void then. */
export function enlarge(memory: WebAssembly.Memory, size: number): void {
  memory.grow(Math.max(0, Math.ceil((size - memory.buffer.byteLength) / PAGE)));
}
