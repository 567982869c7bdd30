import type { ArrowBatch } from "../../duckdb/arrow.js";
import { mapObject } from "../../duckdb/results/map-object.js";
import { setColumn } from "../../duckdb/results/set-column.js";

/** Type ids of Arrow's format. */
const ARROW = { int: 2, date: 8, timestamp: 10, list: 12, struct: 13, map: 17, fixedSizeList: 16 } as const;

type Read = (value: unknown) => unknown;
interface ArrowType {
  readonly typeId: number;
  readonly children?: readonly { readonly name: string; readonly type: ArrowType }[] | null;
}

/**
 * The rows of a record batch as objects of plain values, as a folder's queries give them: whole numbers as numbers, bigints beyond
 * 2⁵³; instants as ISO 8601 text.
 */
export function rowsOfBatch(batch: ArrowBatch): Record<string, unknown>[] {
  const rows = Array.from({ length: batch.numRows }, (): Record<string, unknown> => ({}));
  for (const [i, { name, type }] of batch.schema.fields.entries()) {
    const [column, read] = [batch.getChildAt(i)!, readerOf(type as ArrowType)];
    setColumn(rows, name, (row) => present(column.get(row), read));
  }
  return rows;
}

function present(value: unknown, read: Read): unknown {
  return value === null || value === undefined ? null : read(value);
}

function readerOf({ typeId, children }: ArrowType): Read {
  const fields = (children ?? []).map(({ name, type }) => ({ name, read: readerOf(type) }));
  switch (typeId) {
    case ARROW.int:
      return (value) => (typeof value === "bigint" ? safe(value) : value);
    case ARROW.date:
      return (value) => new Date(Number(value)).toISOString().slice(0, 10);
    case ARROW.timestamp:
      return (value) => instantText(Number(value));
    case ARROW.list:
    case ARROW.fixedSizeList:
      return (value) => Array.from(value as Iterable<unknown>, (item) => present(item, fields[0]!.read));
    case ARROW.struct:
      return (value) =>
        Object.fromEntries(
          fields.map(({ name, read }) => [name, present((value as Record<string, unknown>)[name], read)]),
        );
    case ARROW.map: {
      const [key, each] = children![0]!.type.children!.map(({ type }) => readerOf(type)) as [Read, Read];
      return (value) =>
        mapObject(
          Array.from(value as Iterable<[unknown, unknown]>, ([name, item]) => [
            present(name, key),
            present(item, each),
          ]),
        );
    }
    default:
      return scalar;
  }
}

/** A value whose type says nothing more. */
function scalar(value: unknown): unknown {
  if (typeof value === "bigint") return safe(value);
  return value ?? null;
}

function safe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** ISO 8601 with milliseconds, or with microseconds if there are any. @param ms since the epoch */
function instantText(ms: number): string {
  const micros = Math.round(ms * 1000);
  const rest = ((micros % 1000) + 1000) % 1000;
  const iso = new Date((micros - rest) / 1000).toISOString().slice(0, -1);
  return `${iso}${rest === 0 ? "" : String(rest).padStart(3, "0")}Z`;
}
