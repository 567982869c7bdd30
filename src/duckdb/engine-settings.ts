import { quoteText } from "./quote-sql.js";

/** Settings that a database may change while it is open. */
export interface ChangedSettings {
  /** Worker threads of the engine; `undefined`: one per core. */
  readonly threads?: number | undefined;
  /** For example `"512MB"`; beyond it the engine spills. `undefined`: the engine's default. */
  readonly memoryLimit?: string | undefined;
  /** Whether rows come in the order in which they were inserted; `undefined`: they do. */
  readonly ordered?: boolean | undefined;
}

/**
 * What an engine is set to, by this library. A statement that sets threads or memory, even to what they are, has the engine walk
 * through all memory of the process to give back what is free, and takes the longer the more the process holds.
 */
export class EngineSettings {
  private readonly current: Map<string, string>;

  /** @param settings that the engine was started with */
  constructor(settings: ChangedSettings = {}) {
    this.current = new Map(statementsOf(settings));
  }

  /** Runs the statements that make the engine have these settings, without those of settings that it has. @throws what `run` does */
  async change(settings: ChangedSettings, run: (statement: string) => unknown): Promise<void> {
    for (const [name, statement] of this.missing(settings)) {
      this.current.delete(name);
      await run(statement);
      this.current.set(name, statement);
    }
  }

  /** Number of settings that the engine has otherwise. */
  distance(settings: ChangedSettings): number {
    return this.missing(settings).length;
  }

  private missing(settings: ChangedSettings): (readonly [name: string, statement: string])[] {
    return statementsOf(settings).filter(([name, statement]) => this.current.get(name) !== statement);
  }
}

function statementsOf(settings: ChangedSettings): (readonly [name: string, statement: string])[] {
  const { threads, memoryLimit, ordered } = settings;
  const values: [name: string, value: string | undefined][] = [];
  if ("threads" in settings) values.push(["threads", threads?.toString()]);
  if ("memoryLimit" in settings) values.push(["memory_limit", memoryLimit && quoteText(memoryLimit)]);
  if ("ordered" in settings) values.push(["preserve_insertion_order", ordered?.toString()]);
  return values.map(([name, value]) => [
    name,
    value === undefined ? `RESET GLOBAL ${name}` : `SET GLOBAL ${name} = ${value}`,
  ]);
}
