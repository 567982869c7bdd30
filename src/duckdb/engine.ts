import { resolve } from "node:path";
import type {
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBScalarFunction,
  DuckDBType,
  DuckDBValue,
} from "@duckdb/node-api";
import { DatabaseError } from "../contract/errors.js";
import { type Cells, fillColumn, fills } from "./cells.js";
import { type DuckDb, loadDuckDb } from "./load-package.js";
import { floatsOf } from "./memory-limit.js";
import type { ListTypes } from "./sql-params.js";

/** Options of {@link openInstance}. */
export interface DatabaseOptions {
  /** Any number of processes may read one file; a writer needs exclusive access. */
  readonly readOnly?: boolean;
  /** Worker threads of the engine. Default: one per core. */
  readonly threads?: number;
  /** For example `"512MB"`; beyond it the engine spills to `tempDirectory`. */
  readonly memoryLimit?: string;
  readonly tempDirectory?: string;
  /** Bytes of a block of a file that is created, a power of 2 from 16,384; default: 262,144. A table takes some blocks at least. */
  readonly blockBytes?: number;
  /** Rows of a row group of a file that is created; default: 122,880. */
  readonly rowGroupRows?: number;
}

/** An open engine, and the package that it is of. */
export interface Engine {
  readonly package: DuckDb;
  readonly instance: DuckDBInstance;
  /** Name of the database that sessions use, where it is not the engine's own. */
  readonly attached: string | undefined;
}

const ATTACHED = "attached_file";

/**
 * Opens the engine on `path`, or in memory for `":memory:"`, without extensions.
 * @throws DatabaseError `database_open_failed` if the file is not a DuckDB database, is locked by a writer, or does not exist
 * (read-only); `database_path_unsupported` if it is to be written and its path has a question mark
 */
export async function openInstance(path: string, options: DatabaseOptions): Promise<Engine> {
  // The engine takes what follows a question mark for options when it names the file's log.
  if (!options.readOnly && path.includes("?")) {
    throw new DatabaseError("database_path_unsupported", `Nothing can be built in ${path}: it has a "?"`, {
      value: path,
      remedy: "name a folder whose path has no question mark",
    });
  }
  const config: Record<string, string> = {
    autoload_known_extensions: "false",
    autoinstall_known_extensions: "false",
    allow_community_extensions: "false",
    access_mode: options.readOnly ? "READ_ONLY" : "AUTOMATIC",
  };
  if (options.threads !== undefined) config.threads = String(options.threads);
  if (options.memoryLimit !== undefined) config.memory_limit = options.memoryLimit;
  if (options.tempDirectory !== undefined) config.temp_directory = options.tempDirectory;
  if (options.blockBytes !== undefined) {
    config.default_block_size = String(options.blockBytes);
    // The format with every method of compression.
    config.storage_compatibility_version = "latest";
  }
  const duckDb = await loadDuckDb();
  try {
    if (options.rowGroupRows === undefined) {
      const instance = await duckDb.DuckDBInstance.create(path, config);
      return { package: duckDb, instance, attached: undefined };
    }
    const instance = await duckDb.DuckDBInstance.create(":memory:", config);
    try {
      await attach(instance, path, options.rowGroupRows);
    } catch (error) {
      instance.closeSync();
      throw error;
    }
    return { package: duckDb, instance, attached: ATTACHED };
  } catch (cause) {
    throw new DatabaseError("database_open_failed", `Cannot open ${path}: ${(cause as Error).message}`, {
      value: path,
      remedy: "check that the file is a DuckDB database and that no other process is writing it",
      cause,
    });
  }
}

/** Only a database that is attached has row groups of a chosen size. */
async function attach(instance: DuckDBInstance, path: string, rowGroupRows: number): Promise<void> {
  const connection = await instance.connect();
  try {
    // A relative path may begin like an address of another store.
    const file = `'${resolve(path).replaceAll("'", "''")}'`;
    await connection.run(`ATTACH ${file} AS ${ATTACHED} (ROW_GROUP_SIZE ${rowGroupRows})`);
  } finally {
    connection.closeSync();
  }
}

/** Types of list parameters. */
export function listTypes({ LIST, INTEGER, VARCHAR }: DuckDb): ListTypes {
  return { integers: LIST(INTEGER), texts: LIST(VARCHAR) };
}

/** Converts at most 2,048 rows to a chunk of the engine. @throws TypeError for a cell that does not fit its column */
export function chunkOf(
  { DuckDBDataChunk: Chunk, JSToDuckDBValueConverter }: DuckDb,
  types: readonly DuckDBType[],
  rows: Cells,
): DuckDBDataChunk {
  const chunk = Chunk.create(types, rows.length);
  for (const [column, type] of types.entries()) {
    if (fills(type.toString())) {
      fillColumn(chunk.getColumnVector(column), rows, column);
      continue;
    }
    const cells = rows.map((row) => (row[column] ?? null) as DuckDBValue);
    chunk.setColumnValuesConverted(column, cells, JSToDuckDBValueConverter as never);
  }
  return chunk;
}

/** A scalar SQL function `name(INTEGER) → FLOAT[width]`: `read` returns the `width` numbers of a row; rows come in any order. */
export function vectorFunction(
  { ARRAY, DuckDBScalarFunction: ScalarFunction, FLOAT, INTEGER }: DuckDb,
  name: string,
  width: number,
  read: (row: number) => Float32Array,
): DuckDBScalarFunction {
  return ScalarFunction.create({
    name,
    parameterTypes: [INTEGER],
    returnType: ARRAY(FLOAT, width),
    mainFunction: (_info, input, output) => {
      const rows = input.getColumnVector(0);
      const floats = floatsOf(output);
      for (let i = 0; i < input.rowCount; i++) floats.set(read(rows.getItem(i) as number), i * width);
      output.flush();
    },
  });
}
