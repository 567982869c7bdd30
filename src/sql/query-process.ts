import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import { SqlError } from "../contract/errors.js";
import { errorOf, failureOf } from "../processes/failure.js";
import { FramePort } from "../processes/frame-port.js";
import { NOT_WANTED, OUT_OF_MEMORY } from "../processes/self-watch.js";
import { PROCESS_DEFAULTS } from "./defaults.js";
import type { QueryMessage, QueryReply } from "./query-messages.js";
import { type QueryInput, RunningQuery } from "./running-query.js";
import type { Find, SearchCall } from "./search-calls.js";
import { cannotStart, lostProcess, tooMuchMemory } from "./sql-error.js";
import type { ResultBatch } from "./sql-session.js";

/** Descriptor of the stream between a process that runs queries and its parent. */
export const QUERY_CHANNEL = 3;

const MOST_WORDS = 4096;

type Query = Extract<QueryMessage, { kind: "query" }>;

/** A process that runs queries, one at a time. */
export class QueryProcess {
  /** Identifies the engine that is open in the process. */
  session: unknown;
  /** Whether it has ended or is to end: it takes no query. */
  isOver = false;
  /** Bytes that it holds since its last query. */
  heldBytes = 0;
  private isReserved = false;
  private isRetired = false;
  private isKilled = false;
  private broken: Error | undefined;
  private readonly port: FramePort;
  private readonly channel: Socket;
  private run: RunningQuery | undefined;
  private words = "";
  private isReady = false;
  private isOpening = false;
  private grace: NodeJS.Timeout | undefined;
  /** Resolves when it is gone. */
  readonly closed: Promise<void>;

  /** @param changed called when it becomes free, waits for its reader, or ends */
  constructor(
    private readonly child: ChildProcess,
    private readonly changed: () => void,
  ) {
    const channel = child.stdio?.[QUERY_CHANNEL] as Socket | undefined;
    if (channel === undefined) {
      // Without descriptors left, or the right to start a process, there are no streams, and the error follows.
      child.on("error", () => {});
      throw cannotStart("there are no descriptors for it, or it may not be started");
    }
    child.on("error", (cause) => this.failed(cannotStart(cause.message, cause)));
    this.channel = channel;
    this.port = new FramePort(this.channel, (reply) => this.take(reply as QueryReply));
    this.channel.on("error", (cause) => this.lose(cause));
    child.stderr!.on("data", (text: Buffer) => {
      this.words = (this.words + text.toString()).slice(-MOST_WORDS);
    });
    this.closed = new Promise((resolve) => {
      child.on("close", (code, signal) => {
        this.failed(this.reasonOf(code, signal));
        resolve();
      });
      child.on("error", () => resolve());
    });
    this.keepAlive(false);
  }

  /** Whether it can take a query. */
  get isFree(): boolean {
    return this.run === undefined && !this.isOver && !this.isReserved && !this.isRetired;
  }

  /** Whether its query waits until somebody reads on. */
  get isParked(): boolean {
    return (this.run?.batches.length ?? 0) >= PROCESS_DEFAULTS.ahead;
  }

  /** Whether its query has been interrupted: it is free, or killed, in a moment. */
  get isStopping(): boolean {
    return this.grace !== undefined && !this.isOver;
  }

  /** Keeps it for a query, until {@link QueryProcess.release}. */
  reserve(): this {
    this.isReserved = true;
    return this;
  }

  /** Gives it back. A query that is still running ends first. */
  release(): void {
    this.isReserved = false;
    this.changed();
  }

  /**
   * Starts a query and yields its batches. When the signal aborts the stream fails at once with its reason. The engine is interrupted
   * then, or when the reader leaves early; where it does not heed that the process is killed.
   * @throws SqlError, UsageError; the signal's reason
   */
  async *query(
    query: Query,
    { rows, find, clock }: QueryInput,
    signal: AbortSignal,
  ): AsyncGenerator<ResultBatch, void, void> {
    signal.throwIfAborted();
    if (this.isOver) throw cannotStart("it has ended");
    const answer = (calls: readonly SearchCall[]) => void this.answer(calls, find, signal);
    const { text } = query.query;
    const run = new RunningQuery(text, answer, clock);
    this.run = run;
    this.keepAlive(true);
    const stop = () => {
      run.wake();
      this.cancel(run);
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      for await (const batch of rows()) {
        signal.throwIfAborted();
        if (run.ended !== undefined) break; // its process is gone
        this.port.send({ kind: "rows", ...batch } satisfies QueryMessage);
        await this.port.flushed();
      }
      if (run.ended === undefined) this.send(query);
      for (;;) {
        signal.throwIfAborted();
        const batch = run.batches.shift();
        if (batch !== undefined) {
          if (run.ended === undefined) {
            run.resume();
            this.keepAlive(true);
            this.port.send({ kind: "more" } satisfies QueryMessage);
          }
          yield batch;
        } else if (run.ended !== undefined) {
          if (run.ended.error !== undefined) throw run.ended.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            run.wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener("abort", stop);
      if (run.ended === undefined) this.cancel(run);
    }
  }

  /** For how many milliseconds nothing was taken of its query; undefined while it computes, or has no query. */
  get waitedMs(): number | undefined {
    return this.run?.waitedMs;
  }

  /** Ends its query, whose reader gets the error after what has come, and the process. */
  displace(reason: (text: string) => SqlError): void {
    this.failed(reason(this.run?.text ?? ""));
    void this.end();
  }

  /** Ends it after its query. */
  retire(): void {
    this.isRetired = true;
    if (this.run === undefined && !this.isReserved) void this.end();
  }

  /** Kills the process; resolves when it is gone. */
  end(): Promise<void> {
    this.isOver = true;
    this.isKilled = true;
    this.keepAlive(true); // a process that exits does not leave those who wait for the end
    this.child.kill("SIGKILL");
    return this.closed;
  }

  /** @throws SqlError `sql_params` for a parameter that cannot be sent: a function, a symbol */
  private send(query: Query): void {
    this.isOpening = query.session !== undefined;
    try {
      this.port.send(query);
    } catch (cause) {
      const error = new SqlError("sql_params", `A parameter cannot be used: ${(cause as Error).message}`, {
        value: query.query.text,
        remedy:
          "give null, a boolean, number, bigint, string or Uint8Array, or an array of booleans, of numbers or of strings",
        cause,
      });
      this.session = undefined; // its engine was not sent either
      this.finish(error);
    }
  }

  private async answer(calls: readonly SearchCall[], find: Find, signal: AbortSignal): Promise<void> {
    const message: QueryMessage = await Promise.all(calls.map((call) => find(call, signal))).then(
      (found) => ({ kind: "found", found }),
      (error: unknown) => ({ kind: "found", found: undefined, failure: failureOf(error) }),
    );
    if (!this.isOver) this.port.send(message);
  }

  private cancel(run: RunningQuery): void {
    if (this.run !== run || this.grace !== undefined || this.isOver) return;
    this.port.send({ kind: "cancel" } satisfies QueryMessage);
    this.killLater();
  }

  /** Kills it unless its interrupted query ends in time; once it has started and its engine is open, that is soon. */
  private killLater(): void {
    const { graceMs, startGraceMs } = PROCESS_DEFAULTS;
    clearTimeout(this.grace);
    this.grace = setTimeout(
      () => {
        void this.end();
        this.changed();
      },
      this.isReady && !this.isOpening ? graceMs : startGraceMs,
    );
  }

  private take(reply: QueryReply): void {
    if (reply.kind === "ready" || reply.kind === "opened") {
      if (reply.kind === "ready") this.isReady = true;
      else this.isOpening = false;
      if (this.isStopping) this.killLater();
    } else if (reply.kind === "search") {
      this.run?.answer(reply.calls);
    } else if (reply.kind === "waiting") {
      // What the reader has taken meanwhile is on its way.
      if (!this.isParked) return;
      this.run!.pause();
      // A stream that nothing reads on does not keep the program running.
      this.keepAlive(false);
      this.changed();
    } else if (reply.kind === "batch") {
      this.run?.batches.push(reply.batch);
      this.run?.wake();
      if (this.isParked) this.changed();
    } else {
      if (!reply.isOpen) this.session = undefined;
      this.heldBytes = reply.heldBytes;
      this.finish(reply.failure === undefined ? undefined : errorOf(reply.failure));
    }
  }

  private finish(error: unknown): void {
    clearTimeout(this.grace);
    this.grace = undefined;
    this.isOpening = false;
    const { run } = this;
    this.run = undefined;
    // A reply that was under way when it was killed does not leave those who wait for the end.
    if (!this.isKilled) this.keepAlive(false);
    run?.end(error);
    if (this.isRetired) void this.end();
    this.changed();
  }

  private failed(error: SqlError): void {
    this.isOver = true;
    this.finish(error);
  }

  /** Its stream broke. Mostly it has ended, and says why in a moment; what it says then is better than that it was killed. */
  private lose(cause: Error): void {
    this.isOver = true;
    this.broken ??= cause;
    this.grace ??= setTimeout(() => void this.end(), PROCESS_DEFAULTS.graceMs);
  }

  private reasonOf(code: number | null, signal: NodeJS.Signals | null): SqlError {
    const text = this.run?.text ?? "";
    const { words } = this;
    if (words.includes(OUT_OF_MEMORY) || /out of memory|bad_alloc/i.test(words)) return tooMuchMemory(text);
    const lost = words.includes(NOT_WANTED) ? words.trim() : this.isKilled ? this.broken?.message : undefined;
    if (lost !== undefined) return lostProcess(lost, this.broken);
    // The system kills what takes its memory; a kill of our own says nothing about it.
    if (signal === "SIGKILL" && !this.isKilled) return tooMuchMemory(text);
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    if (!this.isReady) return cannotStart(`it ended ${how}${words === "" ? "" : `: ${words.trim()}`}`);
    return new SqlError("sql_failed", `The engine ended ${how} while it ran the query`, {
      value: text,
      remedy: "ask in a simpler way: with fewer and less nested parts",
    });
  }

  /** A process that has nothing to do does not keep its parent running. */
  private keepAlive(busy: boolean): void {
    for (const handle of [this.child, this.channel, this.child.stderr as Socket | null])
      if (busy) handle?.ref();
      else handle?.unref();
  }
}
