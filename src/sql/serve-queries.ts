import { untilAborted } from "../contract/until-aborted.js";
import type { Cells } from "../duckdb/cells.js";
import type { Database } from "../duckdb/database.js";
import { errorOf, failureOf } from "../processes/failure.js";
import type { SelfWatch } from "../processes/self-watch.js";
import { checkInEngine, confineEngine, openEngine, type ReadVectors } from "./confined-engine.js";
import { PROCESS_DEFAULTS } from "./defaults.js";
import type { QueryMessage, QueryReply, RemoteSession } from "./query-messages.js";
import type { Found, SearchCall } from "./search-calls.js";
import { asSqlError } from "./sql-error.js";

/** Vectors that are open for reading. */
export interface OpenVectors {
  readonly read: ReadVectors;
  close(): void;
}

/** What a process that runs queries is given. */
export interface QueryServerParts {
  /** Sends a reply to the parent. */
  readonly reply: (reply: QueryReply) => void;
  readonly watch: SelfWatch;
  readonly openVectors: (of: unknown) => Promise<OpenVectors>;
}

type Query = Extract<QueryMessage, { kind: "query" }>;

/** Runs queries in this process, one at a time, in one engine as long as the source is the same. */
export class QueryServer {
  private readonly startBytes = process.memoryUsage.rss();
  private session:
    | { readonly db: Database; readonly remote: RemoteSession; close(): Promise<void> }
    | undefined;
  private running: { readonly abort: AbortController; credit: number; wake: () => void } | undefined;
  private rows: { readonly table: string; readonly rows: Cells }[] = [];
  private answered: ((message: Extract<QueryMessage, { kind: "found" }>) => void) | undefined;

  constructor(private readonly parts: QueryServerParts) {}

  /** Takes a message of the parent. */
  take(message: QueryMessage): void {
    if (message.kind === "query") void this.answer(message);
    else if (message.kind === "rows") this.rows.push(message);
    else if (message.kind === "found") this.answered?.(message);
    else if (message.kind === "cancel") this.running?.abort.abort();
    else if (this.running !== undefined) {
      this.running.credit++;
      this.running.wake();
    }
  }

  private async answer(message: Query): Promise<void> {
    const { reply, watch } = this.parts;
    const running = { abort: new AbortController(), credit: PROCESS_DEFAULTS.ahead, wake: () => {} };
    this.running = running;
    const most = this.startBytes + message.memoryBytes + PROCESS_DEFAULTS.overheadBytes;
    const opening = message.session === undefined ? 0 : PROCESS_DEFAULTS.startGraceMs;
    watch.begin(most, Date.now() + opening + message.endAfterMs);
    running.abort.signal.addEventListener("abort", () => running.wake());
    let failure: unknown;
    try {
      const { db, remote } = await this.engine(message.session);
      if (opening > 0) {
        reply({ kind: "opened" });
        watch.begin(most, Date.now() + message.endAfterMs);
      }
      running.abort.signal.throwIfAborted();
      await this.send(message, running, db, remote);
    } catch (error) {
      failure = asSqlError(error, message.query.text);
    }
    this.rows = [];
    // The tables of a caller are for one query.
    if ((this.session?.remote.plan.ownTables.length ?? 0) > 0) await this.forget();
    watch.rest();
    this.running = undefined;
    reply({
      kind: "end",
      failure: failure === undefined ? undefined : failureOf(failure),
      isOpen: this.session !== undefined,
      heldBytes: process.memoryUsage.rss() - this.startBytes,
    });
  }

  private async send(
    { query, byColumn }: Query,
    running: NonNullable<typeof this.running>,
    db: Database,
    remote: RemoteSession,
  ) {
    const { signal } = running.abort;
    await checkInEngine(db, query, remote.plan, (calls) => this.find(calls, signal));
    signal.throwIfAborted();
    const { text, params } = query;
    const batches = byColumn ? db.columns(text, params, signal) : db.plain(text, params, signal);
    for await (const batch of batches) {
      if (running.credit === 0) await this.untilTaken(running, signal);
      signal.throwIfAborted();
      running.credit--;
      this.parts.reply({ kind: "batch", batch });
    }
  }

  /** Waits until the reader has taken a batch; the time for that does not count, here and in the parent. */
  private async untilTaken(running: NonNullable<typeof this.running>, signal: AbortSignal): Promise<void> {
    const { reply, watch } = this.parts;
    watch.pause();
    reply({ kind: "waiting" });
    while (running.credit === 0 && !signal.aborted)
      await new Promise<void>((resolve) => {
        running.wake = resolve;
      });
    watch.resume();
  }

  /** Has searches answered by the parent, which has the index. */
  private async find(calls: readonly SearchCall[], signal: AbortSignal): Promise<readonly Found[]> {
    const answer = new Promise<Extract<QueryMessage, { kind: "found" }>>((resolve) => {
      this.answered = resolve;
    });
    this.parts.reply({ kind: "search", calls });
    const { found, failure } = await untilAborted(answer, signal);
    if (failure !== undefined) throw errorOf(failure);
    return found!;
  }

  private async *takeRows() {
    for (let next = this.rows.shift(); next !== undefined; next = this.rows.shift()) yield next;
  }

  private async engine(remote: RemoteSession | undefined) {
    if (remote !== undefined) {
      await this.forget();
      const vectors = await this.parts.openVectors(remote.vectors);
      try {
        const db = await openEngine(
          remote.plan,
          (rows, into) => vectors.read(rows, into),
          () => this.takeRows(),
        );
        const close = () => db.close().finally(() => vectors.close());
        this.session = { db, remote, close };
        await confineEngine(db, remote.plan);
      } catch (error) {
        if (this.session === undefined) vectors.close();
        await this.forget();
        throw error;
      }
    }
    return this.session!;
  }

  private async forget(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    await session?.close();
  }
}
