import type { DuckDBVector } from "@duckdb/node-api";
import type { SqlValue } from "./database.js";
import { memoryOf, type VectorMemory } from "./results/memory-limit.js";

/** Writes one non-null value to a vector's memory; returns whether it fits. */
type Writer = (memory: VectorMemory, row: number, value: Exclude<SqlValue, null>) => boolean;

const MAX_BIGINT = 2n ** 63n;

const WRITERS: Readonly<Record<string, Writer>> = {
  VARCHAR: ({ itemCache, itemCacheDirty }, row, value) => {
    itemCache![row] = value;
    itemCacheDirty![row] = true;
    return typeof value === "string";
  },
  "VARCHAR[]": ({ itemCache }, row, value) => {
    itemCache![row] = { items: value };
    return Array.isArray(value) && value.every((item) => item === null || typeof item === "string");
  },
  DOUBLE: ({ items }, row, value) => {
    items![row] = value as number;
    return typeof value === "number";
  },
  INTEGER: ({ items }, row, value) => {
    items![row] = value as number;
    return items![row] === value;
  },
  BIGINT: ({ items }, row, value) => {
    if (typeof value !== "bigint" && !Number.isSafeInteger(value)) return false;
    const integer = BigInt(value as number | bigint);
    items![row] = integer;
    return integer >= -MAX_BIGINT && integer < MAX_BIGINT;
  },
  BOOLEAN: ({ dataView }, row, value) => {
    dataView!.setUint8(row, value === true ? 1 : 0);
    return typeof value === "boolean";
  },
  TIMESTAMP: writeInstant(1000n),
  "TIMESTAMP WITH TIME ZONE": writeInstant(1000n),
  TIMESTAMP_MS: writeInstant(1n),
};

/** Writes epoch milliseconds to a column with `ticks` units per millisecond. */
function writeInstant(ticks: bigint): Writer {
  return ({ items }, row, value) => {
    if (typeof value !== "number" || !Number.isInteger(value)) return false;
    items![row] = BigInt(value) * ticks;
    return true;
  };
}

/** Whether {@link fillColumn} supports a type. */
export function fills(type: string): boolean {
  return Object.hasOwn(WRITERS, type);
}

/**
 * Writes one column of the rows to a new vector of the engine.
 * @throws TypeError for a value that does not fit the column
 */
export function fillColumn(vector: DuckDBVector & { flush(): void }, rows: Cells, column: number): void {
  const memory = memoryOf(vector);
  const type = memory.type.toString();
  const write = WRITERS[type]!;
  const { itemCache } = memory;
  let bits: Uint8Array | undefined;
  for (let row = 0; row < rows.length; row++) {
    const value = rows[row]![column] ?? null;
    if (value === null) {
      bits ??= new Uint8Array(Math.ceil(rows.length / 64) * 8).fill(0xff);
      bits[row >> 3]! &= ~(1 << (row & 7));
      if (itemCache !== undefined) itemCache[row] = null;
    } else if (!write(memory, row, value)) {
      throw new TypeError(`${typeof value} ${String(value).slice(0, 40)} does not fit into a ${type}`);
    }
  }
  if (bits !== undefined) memory.validity!.data = new BigUint64Array(bits.buffer);
  vector.flush();
}

/** Rows as arrays of cells. */
export type Cells = readonly (readonly SqlValue[])[];
