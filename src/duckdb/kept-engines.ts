import { resolve } from "node:path";
import { clearTimeout, setTimeout } from "node:timers";
import type { DuckDBInstance } from "@duckdb/node-api";
import { ENGINE_DEFAULTS } from "./defaults.js";
import {
  assertWritablePath,
  configOf,
  type DatabaseOptions,
  type Engine,
  openFailure,
  settingsOf,
} from "./engine.js";
import { type ChangedSettings, EngineSettings } from "./engine-settings.js";
import { type DuckDb, loadDuckDb } from "./load-package.js";
import { quoteText } from "./quote-sql.js";

/** Options of {@link takeEngine}. */
export interface KeptOptions extends DatabaseOptions {
  /** Bytes of a block of a file that is created, a power of 2 from 16,384; default: 262,144. A table takes some blocks at least. */
  readonly blockBytes?: number;
  /** Rows of a row group of a file that is created; default: 122,880. */
  readonly rowGroupRows?: number;
  /** Statements that are run once, when the engine starts: it is kept for databases of the same ones. */
  readonly setUp?: readonly string[];
}

/** An engine without a database. */
interface KeptEngine {
  readonly package: DuckDb;
  readonly instance: DuckDBInstance;
  readonly kind: string;
  readonly settings: EngineSettings;
  closing?: NodeJS.Timeout;
}

const ATTACHED = "attached_file";
const waiting: KeptEngine[] = [];

/**
 * Opens `path`, or an in-memory database for `":memory:"`, in an engine that had another database before, if one waits. An engine
 * takes 15 ms to start and 2 to take a database, and the work on a lake opens a database after the other. It waits for a moment
 * only, and has one database at a time.
 * @throws DatabaseError as `openInstance`
 */
export async function takeEngine(path: string, options: KeptOptions): Promise<Engine> {
  assertWritablePath(path, options);
  const kind = (options.setUp ?? []).join("; ");
  const at = nearest(kind, settingsOf(options));
  const engine = at < 0 ? await startEngine(path, kind, options) : waiting.splice(at, 1)[0]!;
  clearTimeout(engine.closing);
  try {
    await runIn(engine.instance, [
      ...(await settings(path, engine.settings, options)),
      attachment(path, options),
    ]);
  } catch (cause) {
    engine.instance.closeSync();
    // It may be the engine's fault, not the file's.
    if (at >= 0) return takeEngine(path, options);
    throw openFailure(path, cause);
  }
  const beside: string[] = [];
  return {
    package: engine.package,
    instance: engine.instance,
    attached: ATTACHED,
    beside,
    settings: engine.settings,
    inUtc: true,
    release: () => release(engine, [ATTACHED, ...beside]),
  };
}

/** Place of the waiting engine of a kind of which fewest settings must be changed, the latest of such; -1 if there is none. */
function nearest(kind: string, settings: ChangedSettings): number {
  let best = -1;
  for (const [at, engine] of waiting.entries()) {
    if (engine.kind !== kind) continue;
    if (best < 0 || engine.settings.distance(settings) <= waiting[best]!.settings.distance(settings))
      best = at;
  }
  return best;
}

async function startEngine(path: string, kind: string, options: DatabaseOptions): Promise<KeptEngine> {
  const duckDb = await loadDuckDb();
  const instance = await duckDb.DuckDBInstance.create(":memory:", configOf(options)).catch((cause) => {
    throw openFailure(path, cause);
  });
  await runIn(instance, ["SET GLOBAL TimeZone = 'UTC'", ...(kind === "" ? [] : [kind])]);
  return { package: duckDb, instance, kind, settings: new EngineSettings(settingsOf(options)) };
}

/** Statements of what a database has otherwise than the one before. */
async function settings(path: string, current: EngineSettings, options: DatabaseOptions): Promise<string[]> {
  const statements: string[] = [];
  await current.change(settingsOf(options), (statement) => statements.push(statement));
  const spill = options.tempDirectory ?? (path === ":memory:" ? ".tmp" : `${path}.tmp`);
  return [...statements, `SET GLOBAL temp_directory = ${quoteText(spill)}`];
}

function attachment(path: string, { readOnly, blockBytes, rowGroupRows }: KeptOptions): string {
  // A relative path may begin like an address of another store.
  const inMemory = path === ":memory:";
  const options = inMemory ? [] : ["TYPE duckdb"];
  if (readOnly) options.push("READ_ONLY");
  // The format with every method of compression.
  if (blockBytes !== undefined) options.push(`BLOCK_SIZE ${blockBytes}`, "STORAGE_VERSION 'latest'");
  if (rowGroupRows !== undefined) options.push(`ROW_GROUP_SIZE ${rowGroupRows}`);
  const list = options.length === 0 ? "" : ` (${options.join(", ")})`;
  return `ATTACH ${quoteText(inMemory ? path : resolve(path))} AS ${ATTACHED}${list}`;
}

/** Detaches the databases; the engine waits for another one. An engine that has spilled, or fails, is closed. */
async function release(engine: KeptEngine, attached: readonly string[]): Promise<void> {
  const { instance } = engine;
  try {
    await runIn(instance, [...attached.map((name) => `DETACH ${name}`), "SET GLOBAL temp_directory = ''"]);
  } catch {
    instance.closeSync();
    return;
  }
  const close = () => {
    const at = waiting.indexOf(engine);
    if (at >= 0) waiting.splice(at, 1);
    instance.closeSync();
  };
  engine.closing = setTimeout(close, ENGINE_DEFAULTS.keptMs).unref();
  waiting.push(engine);
  const oldest = waiting.length > ENGINE_DEFAULTS.kept ? waiting.shift() : undefined;
  clearTimeout(oldest?.closing);
  oldest?.instance.closeSync();
}

async function runIn(instance: DuckDBInstance, statements: readonly string[]): Promise<void> {
  const connection = await instance.connect();
  try {
    await connection.run(statements.join("; "));
  } finally {
    connection.disconnectSync();
  }
}
