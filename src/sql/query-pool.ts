import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { clearTimeout, setTimeout } from "node:timers";
import { checkText } from "./check-text.js";
import { PROCESS_DEFAULTS } from "./defaults.js";
import { NO_TABLES, type PreparedTables } from "./own/own-tables.js";
import type { QueryClock } from "./query-clock.js";
import { QueryProcess } from "./query-process.js";
import type { Find } from "./search-calls.js";
import { bytesOfMemory, planSession, type SqlData } from "./session-plan.js";
import { cannotStart, notTaken } from "./sql-error.js";
import type { ResultBatch, SqlLimits, UserQuery } from "./sql-session.js";

/** Data that queries in other processes read. */
export interface RemoteData extends SqlData {
  /** Where vectors are, as the processes' opener of vectors takes it. */
  readonly vectors: unknown;
  /** Searches all records, in this process. */
  readonly find: Find;
}

/** Limits of a query, its time-out among them, and the form of its result. */
export interface PoolLimits extends Omit<SqlLimits, "signal" | "timeoutMs"> {
  /** Milliseconds after which the signal aborts, without those in which the query waits for its reader. */
  readonly timeoutMs: number;
  /** Stands still while the query waits for its reader. */
  readonly clock?: QueryClock;
  readonly byColumn: boolean;
}

interface Waiting {
  readonly key: SessionKey;
  readonly memoryBytes: number;
  readonly take: (process: QueryProcess) => void;
  readonly fail: (error: unknown) => void;
}

/** What an engine is open for. */
interface SessionKey {
  readonly database: string;
  readonly removed: unknown;
  readonly memoryLimit: string;
  readonly threads: number | undefined;
  /** Tables of the caller; an engine that has some is for one query. */
  readonly own: PreparedTables | undefined;
}

const { idleMs, lateMs, fewestAtATime, overheadBytes } = PROCESS_DEFAULTS;

/**
 * Runs the queries of users in processes, which are killed when a query takes longer or more memory than it may. One process stays
 * for the next query; more are started while all compute.
 */
export class QueryPool {
  private readonly processes = new Set<QueryProcess>();
  private readonly queue: Waiting[] = [];
  private trimming: NodeJS.Timeout | undefined;
  private displacing: NodeJS.Timeout | undefined;

  /**
   * @param start starts a process that serves queries on the descriptor `QUERY_CHANNEL`
   * @param limits most processes, and milliseconds for which a stream may keep one that others need though nothing is taken of it
   */
  constructor(
    private readonly start: () => ChildProcess,
    private readonly limits: { readonly most: number; readonly readerMs: number } = PROCESS_DEFAULTS,
  ) {}

  /**
   * Runs a query and yields its batches, by column or by row.
   * @param signal aborts when the query's time is up, or its caller wants no more
   * @throws SqlError, UsageError; the signal's reason
   */
  async *run(
    data: RemoteData,
    query: UserQuery,
    { byColumn, timeoutMs, clock, ...limits }: PoolLimits,
    signal: AbortSignal,
  ): AsyncGenerator<ResultBatch, void, void> {
    signal.throwIfAborted();
    checkText(query.text);
    const { text, params, own } = query;
    const plan = planSession(data, limits, own?.tables);
    const { memoryLimit, threads } = plan;
    const key = { database: data.database, removed: data.removed, memoryLimit, threads, own };
    const memoryBytes = bytesOfMemory(memoryLimit)!;
    const process = await this.reserve({ key, memoryBytes }, signal);
    try {
      const session = isOpenFor(process, key) ? undefined : { plan, vectors: data.vectors };
      process.session = key;
      const endAfterMs = timeoutMs + lateMs;
      const input = { rows: own?.rows ?? NO_TABLES.rows, find: data.find, clock };
      yield* process.query(
        { kind: "query", query: { text, params }, byColumn, session, memoryBytes, endAfterMs },
        input,
        signal,
      );
    } finally {
      process.release();
    }
  }

  /** Starts a process for the first query before it comes. @throws SqlError if it cannot be started */
  warm(): void {
    if (this.processes.size === 0) this.started();
  }

  /**
   * Lets go of the files of other generations than that of a database. An engine keeps some until its memory is collected, so its
   * process is ended.
   */
  keepOnly(database: string): void {
    for (const process of this.processes)
      if ((process.session as SessionKey | undefined)?.database !== database) process.retire();
  }

  /** Kills every process. */
  async close(): Promise<void> {
    clearTimeout(this.trimming);
    clearTimeout(this.displacing);
    await Promise.all([...this.processes].map((process) => process.end()));
  }

  private reserve(wanted: Pick<Waiting, "key" | "memoryBytes">, signal: AbortSignal): Promise<QueryProcess> {
    return new Promise((resolve, reject) => {
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          signal.removeEventListener("abort", stop);
          settle(value);
        };
      const waiting: Waiting = { ...wanted, take: settled(resolve), fail: settled(reject) };
      const stop = () => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      this.queue.push(waiting);
      this.assign();
    });
  }

  private assign(): void {
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      try {
        const process = this.fitting(next) ?? this.started();
        if (process === undefined) return;
        this.queue.shift();
        next.take(process.reserve());
      } catch (error) {
        this.queue.shift();
        next.fail(error);
      }
    }
    this.trim();
  }

  /** A free process, if there is one; one that holds much of what the query may take is ended. */
  private fitting({ key, memoryBytes }: Waiting): QueryProcess | undefined {
    const free = [...this.processes].filter((process) => process.isFree);
    const fits = free.filter(({ heldBytes }) => heldBytes < (memoryBytes + overheadBytes) / 2);
    for (const process of free) if (!fits.includes(process)) void process.end();
    return fits.find((process) => isOpenFor(process, key)) ?? fits[0];
  }

  private started(): QueryProcess | undefined {
    const stopping = [...this.processes].filter(({ isStopping }) => isStopping);
    if (stopping.length > 0 && stopping.length >= this.queue.length) return undefined;
    const computing = [...this.processes].filter(({ isParked, isOver }) => !isParked && !isOver);
    if (computing.length >= Math.max(fewestAtATime, availableParallelism())) return undefined;
    if (this.processes.size >= this.limits.most) {
      this.displace();
      return undefined;
    }
    const process = new QueryProcess(this.startChild(), () => this.assign());
    this.processes.add(process);
    void process.closed.then(() => {
      this.processes.delete(process);
      this.assign();
    });
    return process;
  }

  /** Ends the query whose reader has taken nothing for the longest time, as soon as that is long enough. */
  private displace(): void {
    const { readerMs } = this.limits;
    const processes = [...this.processes];
    // Each that ends makes room for a query.
    if (processes.filter(({ isOver }) => isOver).length >= this.queue.length) return;
    const waiting = processes.filter(({ waitedMs }) => waitedMs !== undefined);
    const longest = waiting.sort((a, b) => b.waitedMs! - a.waitedMs!)[0];
    if (longest === undefined) return;
    const leftMs = readerMs - longest.waitedMs!;
    clearTimeout(this.displacing);
    if (leftMs <= 0) longest.displace((text) => notTaken(text, readerMs));
    else this.displacing = setTimeout(() => this.assign(), leftMs);
  }

  private startChild(): ChildProcess {
    try {
      return this.start();
    } catch (cause) {
      throw cannotStart((cause as Error).message, cause);
    }
  }

  /** Ends all free processes but one when they have had nothing to do for a while. */
  private trim(): void {
    clearTimeout(this.trimming);
    this.trimming = setTimeout(() => {
      const [, ...spare] = [...this.processes].filter(({ isFree }) => isFree);
      for (const process of spare) void process.end();
    }, idleMs).unref();
  }
}

function isOpenFor(process: QueryProcess, key: SessionKey): boolean {
  const open = process.session as SessionKey | undefined;
  return (
    open !== undefined &&
    open.database === key.database &&
    open.removed === key.removed &&
    open.memoryLimit === key.memoryLimit &&
    open.threads === key.threads &&
    open.own === key.own
  );
}
