import type {
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBScalarFunction,
  DuckDBType,
  DuckDBValue,
} from "@duckdb/node-api";
import { DatabaseError } from "../contract/errors.js";
import { type Cells, fillColumn, fills } from "./cells.js";
import { type ChangedSettings, EngineSettings } from "./engine-settings.js";
import { type DuckDb, loadDuckDb } from "./load-package.js";
import { floatsOf } from "./results/memory-limit.js";
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
}

/** An open engine, and the package that it is of. */
export interface Engine {
  readonly package: DuckDb;
  readonly instance: DuckDBInstance;
  /** Name of the database that sessions use, where it is not the engine's own. */
  readonly attached: string | undefined;
  /** Names of databases that are attached beside it. */
  readonly beside: string[];
  /** What it is set to. */
  readonly settings: EngineSettings;
  /** Whether its time zone is set to UTC. */
  readonly inUtc: boolean;
  /** Lets go of the database and its file, when its sessions are closed. */
  release(): Promise<void>;
}

/**
 * Opens the engine on `path`, or in memory for `":memory:"`, without extensions.
 * @throws DatabaseError `database_open_failed` if the file is not a DuckDB database, is locked by a writer, or does not exist
 * (read-only); `database_path_unsupported` if it is to be written and its path has a question mark
 */
export async function openInstance(path: string, options: DatabaseOptions): Promise<Engine> {
  assertWritablePath(path, options);
  const config = configOf(options);
  config.access_mode = options.readOnly ? "READ_ONLY" : "AUTOMATIC";
  if (options.tempDirectory !== undefined) config.temp_directory = options.tempDirectory;
  const duckDb = await loadDuckDb();
  try {
    const instance = await duckDb.DuckDBInstance.create(path, config);
    const release = async () => instance.closeSync();
    return {
      package: duckDb,
      instance,
      attached: undefined,
      beside: [],
      settings: new EngineSettings(settingsOf(options)),
      inUtc: false,
      release,
    };
  } catch (cause) {
    throw openFailure(path, cause);
  }
}

/**
 * What an engine is started with: no extension is loaded or downloaded, and what was read of files is not kept. An engine would keep it
 * as long as it lives, in up to four fifths of the memory.
 */
export function configOf({ threads, memoryLimit }: DatabaseOptions): Record<string, string> {
  const config: Record<string, string> = {
    autoload_known_extensions: "false",
    autoinstall_known_extensions: "false",
    allow_community_extensions: "false",
    enable_external_file_cache: "false",
  };
  if (threads !== undefined) config.threads = String(threads);
  if (memoryLimit !== undefined) config.memory_limit = memoryLimit;
  return config;
}

/** The settings of a database's engine that may change while it is open. */
export function settingsOf({ threads, memoryLimit }: DatabaseOptions): ChangedSettings {
  return { threads, memoryLimit, ordered: undefined };
}

/**
 * Refuses a path that the engine cannot write: it takes what follows a question mark for options when it names the file's log.
 * @throws DatabaseError `database_path_unsupported`
 */
export function assertWritablePath(path: string, { readOnly }: DatabaseOptions): void {
  if (readOnly || !path.includes("?")) return;
  throw new DatabaseError("database_path_unsupported", `Nothing can be built in ${path}: it has a "?"`, {
    value: path,
    remedy: "name a folder whose path has no question mark",
  });
}

/** The error for a file that the engine does not open. */
export function openFailure(path: string, cause: unknown): DatabaseError {
  return new DatabaseError("database_open_failed", `Cannot open ${path}: ${(cause as Error).message}`, {
    value: path,
    remedy: "check that the file is a DuckDB database and that no other process is writing it",
    cause,
  });
}

/** Types of list parameters. */
export function listTypes({ LIST, BIGINT, BOOLEAN, DOUBLE, INTEGER, VARCHAR }: DuckDb): ListTypes {
  return {
    integers: LIST(INTEGER),
    longs: LIST(BIGINT),
    doubles: LIST(DOUBLE),
    texts: LIST(VARCHAR),
    booleans: LIST(BOOLEAN),
  };
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

/** A scalar SQL function `name(INTEGER) → FLOAT[width]`: `read` writes the `width` numbers of each row; rows come in any order. */
export function vectorFunction(
  { ARRAY, DuckDBScalarFunction: ScalarFunction, FLOAT, INTEGER }: DuckDb,
  name: string,
  width: number,
  read: (rows: ArrayLike<number>, into: Float32Array) => void,
): DuckDBScalarFunction {
  return ScalarFunction.create({
    name,
    parameterTypes: [INTEGER],
    returnType: ARRAY(FLOAT, width),
    mainFunction: (_info, input, output) => {
      const rows = input.getColumnVector(0);
      read(
        Int32Array.from({ length: input.rowCount }, (_, i) => rows.getItem(i) as number),
        floatsOf(output),
      );
      output.flush();
    },
  });
}
