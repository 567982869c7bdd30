import type { DuckDBVector } from "@duckdb/node-api";
import type { FixedArray } from "./column-batch.js";

/**
 * A vector of the pinned engine with what it keeps beside its public face. Values are read and written there: one by one
 * through the public methods takes ten times as long, and its decoder drops a U+FEFF at the start of a text.
 */
export type VectorMemory = DuckDBVector & {
  readonly type: { readonly length?: number; readonly entryNames?: readonly string[] };
  readonly items?: FixedArray;
  readonly dataView?: DataView;
  readonly validity?: { data: BigUint64Array | null; readonly offset: number };
  readonly itemCache?: unknown[];
  readonly itemCacheDirty?: boolean[];
  /** Elements of all lists or arrays. */
  readonly childData?: DuckDBVector;
  /** Fields of a struct. */
  readonly entryVectors?: readonly DuckDBVector[];
  /** What a map is made of: a list of structs of key and value. */
  readonly listVector?: DuckDBVector;
  /** What a union is made of: a struct of the member's number and the members. */
  readonly structVector?: DuckDBVector;
  getEntryOffset?(row: number): number;
  getEntryLength?(row: number): number;
};

/** The inside of a vector. */
export function memoryOf(vector: DuckDBVector): VectorMemory {
  return vector as VectorMemory;
}

/** The memory of a vector of FLOAT[n], to be written in place: `n` numbers a row. */
export function floatsOf(vector: DuckDBVector): Float32Array {
  return memoryOf(memoryOf(vector).childData!).items as Float32Array;
}

/** A bit a row, set where it is not null; undefined where none is null, or the vector does not say. */
export function validityBits({ validity }: VectorMemory): Uint8Array | undefined {
  const words = validity?.data;
  if (!words) return undefined;
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** Whether a row of validity bits is set. */
export function isSet(bits: Uint8Array, row: number): boolean {
  return ((bits[row >> 3]! >> (row & 7)) & 1) === 1;
}

/** Whether the values of a vector are texts in UTF-8. */
export function isText(memory: VectorMemory): boolean {
  return memory.type.toString() === "VARCHAR" || (memory.dataView !== undefined && isJson(memory));
}

function isJson({ type }: VectorMemory): boolean {
  return type.toString() === "JSON";
}

const STRING_BYTES = 16;
const MARK = "\ufeff";

/** The text of a row that is not null, to the last character. */
export function textAt(memory: VectorMemory, row: number): string {
  const text = memory.getItem(row) as string;
  const view = memory.dataView!;
  // A string of the engine: 4 bytes of length, then its first 4 bytes, wherever the rest is.
  const at = row * STRING_BYTES;
  if (view.getUint8(at + 4) !== 0xef || view.getUint32(at, true) < 3) return text;
  return view.getUint8(at + 5) === 0xbb && view.getUint8(at + 6) === 0xbf ? MARK + text : text;
}
