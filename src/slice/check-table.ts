import { join } from "node:path";
import { DatabaseError } from "../contract/errors.js";
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
  /** Aggregates by name: an SQL expression over all rows, and what it has to be. */
  readonly expected: Readonly<Record<string, readonly [sql: string, value: number | string]>>;
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
}

/**
 * Checks a Parquet file: its columns, what holds for all rows, their order, and every row that is not surely sound.
 * @throws SliceError
 */
export async function checkTable(table: CheckedTable): Promise<TableFacts> {
  await checkColumns(table);
  const { first, last, suspects } = await checkAll(table);
  const order = await checkOrder(table);
  const rows = new Set([...suspects, ...order.suspects]);
  if (rows.size > 0) await checkRows(table, [...rows]);
  return { first, last, counts: order.counts };
}

async function checkColumns({ db, dir, resource, columns }: CheckedTable): Promise<void> {
  const path = join(dir, resource.path);
  const found = await read(dir, resource, () =>
    db.rows<{ column_name: string; column_type: string }>("DESCRIBE SELECT * FROM read_parquet(?)", [[path]]),
  );
  const [have, want] = [
    found.map((c) => `${c.column_name} ${c.column_type}`),
    columns.map((c) => `${c.name} ${c.type}`),
  ];
  const wrong = have.find((column, i) => column !== want[i]) ?? want.find((column, i) => column !== have[i]);
  if (wrong !== undefined) {
    refuseSlice("slice_content_mismatch", dir, `the columns of ${resource.path} differ at ${wrong}`, {
      value: path,
    });
  }
}

/** Checks the aggregates; returns the first and last capture, and the numbers of suspect rows. */
async function checkAll({
  db,
  dir,
  resource,
  expected,
  params = [],
  suspect,
  captured,
}: CheckedTable): Promise<Pick<TableFacts, "first" | "last"> & { readonly suspects: readonly number[] }> {
  const path = join(dir, resource.path);
  const names = Object.keys(expected);
  const aggregates = names.map((name) => `${expected[name]![0]} AS ${name}`);
  const [answer] = await read(dir, resource, () =>
    db.rows<Record<string, unknown> & Pick<TableFacts, "first" | "last"> & { suspects: number[] | null }>(
      `SELECT ${aggregates.join(", ")}, min(${captured}) AS "first", max(${captured}) AS "last",
        list(file_row_number) FILTER (${suspect.map((sql) => `(${sql})`).join(" OR ")}) AS suspects
      FROM read_parquet(?, file_row_number = true)`,
      [...params, [path]],
    ),
  );
  for (const name of names) {
    const value = expected[name]![1];
    if (answer?.[name] === value) continue;
    refuseSlice(
      "slice_content_mismatch",
      dir,
      `${resource.path}: ${name} is ${String(answer?.[name])}, not ${value}`,
      { value: path },
    );
  }
  return { first: answer?.first ?? null, last: answer?.last ?? null, suspects: answer?.suspects ?? [] };
}

/**
 * Checks that keys are sorted and unique, so that rows can be found and merged without sorting again. Returns the numbers of rows
 * whose JSON is not surely sound, and how many rows there are of each first part of the key, if it has several.
 */
async function checkOrder({ db, dir, resource, key, json }: CheckedTable): Promise<{
  readonly suspects: readonly number[];
  readonly counts: ReadonlyMap<string, number>;
}> {
  const path = join(dir, resource.path);
  const suspects: number[] = [];
  const counts = new Map<string, number>();
  const group = key.length > 1 ? key[0] : undefined;
  let number = 0;
  let last: Buffer | undefined;
  const sql = `SELECT ${key.join(", ")}, ${json.column} FROM read_parquet(?)`;
  await read(dir, resource, async () => {
    for await (const batch of db.stream(sql, [[path]])) {
      for (const row of batch) {
        const next = Buffer.from(key.map((name) => row[name]).join("\u0000"), "utf8");
        if (last !== undefined && Buffer.compare(last, next) >= 0) {
          refuseSlice(
            "slice_content_mismatch",
            dir,
            `${resource.path} is not sorted by unique ${key.join(", ")}`,
            { value: path },
          );
        }
        last = next;
        if (group !== undefined) {
          const value = row[group] as string;
          counts.set(value, (counts.get(value) ?? 0) + 1);
        }
        const text = row[json.column] as string | null;
        if (text !== null && !json.isSound(text)) suspects.push(number);
        number++;
      }
    }
  });
  return { suspects, counts };
}

/** Reads rows by their numbers, and refuses the slice for the first that has a fault. */
async function checkRows(
  { db, dir, resource, rowFault }: CheckedTable,
  numbers: readonly number[],
): Promise<void> {
  const path = join(dir, resource.path);
  let seen = 0;
  const sql = `SELECT * FROM read_parquet(?, file_row_number = true)
    WHERE file_row_number IN (SELECT unnest(?::BIGINT[])) ORDER BY file_row_number`;
  await read(dir, resource, async () => {
    for await (const batch of db.stream(sql, [[path], numbers])) {
      for (const row of batch) {
        seen++;
        const fault = rowFault(row);
        if (fault !== undefined) refuseRow(dir, resource, row, fault);
      }
    }
  });
  if (seen !== numbers.length)
    refuseSlice("slice_corrupt", dir, `${resource.path} does not give the same rows twice`, { value: path });
}

function refuseRow(dir: string, { path: file }: SliceResource, row: TableRow, fault: Fault): never {
  const number = row.file_row_number as number;
  const field = fault.field.length > SHOWN_VALUE ? `${fault.field.slice(0, SHOWN_VALUE)}…` : fault.field;
  const value = shown(fault.value);
  const id = typeof row.id === "string" ? ` (${shown(row.id)})` : "";
  refuseSlice(
    "slice_row_invalid",
    dir,
    `row ${number} of ${file}${id}: ${field} ${fault.rule}${value === "" ? "" : `; it is ${value}`}`,
    {
      value: { file: join(dir, file), row: number, field, value },
      remedy: "tell whoever made the slice; nothing was changed",
    },
  );
}

/** A value as JSON of a moderate length; empty for none, and for one that is nested too deeply to be written. */
function shown(value: unknown): string {
  if (value === undefined || (typeof value === "object" && jsonFault(value) !== undefined)) return "";
  const text = typeof value === "bigint" || typeof value === "number" ? String(value) : JSON.stringify(value);
  return text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text;
}

/** Reads a file by the engine, whose errors then say that it is corrupt. */
async function read<T>(dir: string, resource: SliceResource, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof DatabaseError)) throw cause;
    const reason = cause.message.split("\n")[0]!;
    return refuseSlice("slice_corrupt", dir, `${resource.path} is not readable Parquet: ${reason}`, {
      value: join(dir, resource.path),
      cause,
    });
  }
}
