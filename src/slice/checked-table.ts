import { join } from "node:path";
import { DatabaseError } from "../contract/errors.js";
import { unlessLacking } from "../contract/lacking.js";
import type { SliceResource } from "../contract/slice/slice-manifest.js";
import type { Database } from "../duckdb/database.js";
import type { TableRow } from "./column.js";
import { type Fault, jsonFault } from "./json-fault.js";
import { refuseSlice } from "./refuse-slice.js";

const SHOWN_VALUE = 120;

/** A Parquet file of a slice, as it is checked. */
export interface CheckedTable {
  readonly db: Database;
  readonly dir: string;
  readonly resource: SliceResource;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Numbers over all rows by name: an SQL expression, the same of the rows of a small file, and what it has to be. */
  readonly expected: Readonly<Record<string, readonly [sql: string, of: CountRows, value: number]>>;
  readonly params: Parameters<Database["rows"]>[1];
  /** Conditions for rows that are read and checked by `rowFault`. */
  readonly suspect: readonly string[];
  readonly rowFault: (row: TableRow) => Fault | undefined;
  /** Columns by which the rows are sorted, without two that are equal. */
  readonly key: readonly string[];
  /** A column of JSON that is read of all rows, and whether what a cell holds is surely sound. */
  readonly json: { readonly column: string; readonly isSound: (text: string) => boolean };
  /** The column of milliseconds at which rows were captured. */
  readonly captured: string;
}

/** What a file that is sound holds. */
export interface TableFacts {
  /** The first and the last capture, milliseconds since the epoch; null in a file without rows. */
  readonly first: number | null;
  readonly last: number | null;
  /** How many rows there are of each value of the first column of a key that has several. */
  readonly counts: ReadonlyMap<string, number>;
  /** The rows of a small file. */
  readonly rows?: readonly TableRow[];
}

/** Computes a number of all rows. */
export type CountRows = (rows: readonly TableRow[]) => number;

/** The first column that a file has and should not, or should have and has not. */
export function otherColumn({ columns }: CheckedTable, found: CheckedTable["columns"]): string | undefined {
  const [have, want] = [found, columns].map((list) => list.map(({ name, type }) => `${name} ${type}`)) as [
    string[],
    string[],
  ];
  return have.find((column, i) => column !== want[i]) ?? want.find((column, i) => column !== have[i]);
}

/** Refuses a file with other columns. @throws SliceError */
export function checkColumns(table: CheckedTable, found: CheckedTable["columns"]): void {
  const { dir, resource } = table;
  const wrong = otherColumn(table, found);
  if (wrong === undefined) return;
  refuseSlice("slice_content_mismatch", dir, `the columns of ${resource.path} differ at ${wrong}`, {
    value: join(dir, resource.path),
  });
}

/** Refuses a file whose numbers are not those expected. @throws SliceError */
export function checkNumbers(
  { dir, resource, expected }: CheckedTable,
  found: (name: string) => unknown,
): void {
  for (const [name, [, , value]] of Object.entries(expected)) {
    const number = found(name);
    if (number === value) continue;
    refuseSlice(
      "slice_content_mismatch",
      dir,
      `${resource.path}: ${name} is ${String(number)}, not ${value}`,
      { value: join(dir, resource.path) },
    );
  }
}

/** Checks that keys are sorted and unique, so that rows can be found and merged without sorting again. */
export class KeyOrder {
  /** How many rows there are of each first part of a key that has several. */
  readonly counts = new Map<string, number>();
  private last: Buffer | undefined;

  constructor(private readonly table: Pick<CheckedTable, "dir" | "resource" | "key">) {}

  /** Takes the next row. @throws SliceError */
  add(row: TableRow): void {
    const { dir, resource, key } = this.table;
    const next = Buffer.from(key.map((name) => row[name]).join("\u0000"), "utf8");
    if (this.last !== undefined && Buffer.compare(this.last, next) >= 0) {
      refuseSlice(
        "slice_content_mismatch",
        dir,
        `${resource.path} is not sorted by unique ${key.join(", ")}`,
        { value: join(dir, resource.path) },
      );
    }
    this.last = next;
    if (key.length === 1) return;
    const group = row[key[0]!] as string;
    this.counts.set(group, (this.counts.get(group) ?? 0) + 1);
  }
}

/** Refuses a slice for a row that has a fault. @throws SliceError */
export function refuseRow(
  { dir, resource: { path: file } }: CheckedTable,
  number: number,
  row: TableRow,
  fault: Fault,
): never {
  const field = fault.field.length > SHOWN_VALUE ? `${fault.field.slice(0, SHOWN_VALUE)}…` : fault.field;
  const value = shown(fault.value);
  const id = typeof row.id === "string" ? ` (${shown(row.id)})` : "";
  refuseSlice(
    "slice_row_invalid",
    dir,
    `row ${number} of ${file}${id}: ${field} ${fault.rule}${value === "" ? "" : `; it is ${value}`}`,
    {
      value: { file: join(dir, file), row: number, field, value },
      remedy: "tell the publisher of the slice; nothing was changed",
    },
  );
}

/** A value as JSON of a moderate length; empty for none, and for one that is nested too deeply to be written. */
function shown(value: unknown): string {
  if (value === undefined || (typeof value === "object" && jsonFault(value) !== undefined)) return "";
  const text = typeof value === "bigint" || typeof value === "number" ? String(value) : JSON.stringify(value);
  return text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text;
}

/**
 * Reads a file by the engine, whose errors then say that it is corrupt, unless they tell of a lack of files or memory.
 * @throws SliceError `slice_corrupt`
 * @throws LakeError `too_many_open_files`, `not_readable`, `out_of_memory`, `name_too_long`
 * @throws DatabaseError `database_memory`
 */
export async function readTable<T>(
  { dir, resource }: Pick<CheckedTable, "dir" | "resource">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = unlessLacking(error);
    if (!(cause instanceof DatabaseError) || cause.code === "database_memory") throw cause;
    const reason = cause.message.split("\n")[0]!;
    return refuseSlice("slice_corrupt", dir, `${resource.path} is not readable Parquet: ${reason}`, {
      value: join(dir, resource.path),
      cause,
    });
  }
}
