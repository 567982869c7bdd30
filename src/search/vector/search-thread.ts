import type { MessagePort, Worker } from "node:worker_threads";
import { SearchError } from "../../contract/errors.js";
import { errorOf } from "../../threads/failure.js";
import { startWorker } from "../start-worker.js";
import type { NearestOptions, NearestSearch } from "./nearest-search.js";
import { ScoreExchange } from "./scores/score-exchange.js";
import type { Scored } from "./scores/top-k.js";
import { type Reply, type Request, rowsSent, type SetToOpen } from "./thread-messages.js";

interface Pending<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A worker thread that searches vector sets, so that keyword ranking and the event loop continue meanwhile. It
 * keeps the process alive only while requests are pending.
 */
export class SearchThread {
  private readonly pending = new Map<number, Pending<Scored>>();
  private opening: Pending<void> | undefined;
  /** While the sets are being opened, and where that failed. */
  private opened: Promise<void> | undefined;
  /** Resolves when the thread has ended, for whatever reason. */
  readonly over: Promise<void>;
  private next = 0;
  private ended: Error | undefined;
  /** Whether it has been told to end: the process is kept alive until it has. */
  private closing = false;

  private constructor(private readonly worker: Worker) {
    worker.on("message", (reply: Reply) => {
      if ("id" in reply) this.settle(reply);
      else if (reply.opened) this.opening?.resolve();
      else this.opening?.reject(errorOf(reply.failure));
    });
    worker.on("error", (error) => this.end(error));
    this.over = new Promise((resolve) => {
      worker.on("exit", () => {
        this.end(ended());
        resolve();
      });
    });
  }

  /** Starts a thread, which loads its code while the caller prepares the sets to open. Always close it. */
  static start(): SearchThread {
    const worker = startWorker("search");
    worker.unref();
    return new SearchThread(worker);
  }

  /**
   * Opens the sets to search, once.
   * @param mate the way to another search thread: each helps to load and to scan the other's large sets
   * @throws SearchError of a set that is incomplete.
   */
  open(sets: readonly SetToOpen[], mate?: MessagePort): Promise<void> {
    this.opened = this.openOnce(sets, mate).then(() => {
      this.opened = undefined;
    });
    return this.opened;
  }

  /** Returns the search of one of the sets, by its index. It waits until they are open, and fails where that failed. */
  search(
    set: number,
    { takesHints, exchanges }: Pick<NearestSearch, "takesHints" | "exchanges">,
  ): NearestSearch {
    const nearest: NearestSearch["nearest"] = (query, limit, options = {}) => {
      const ask = () => this.ask(set, query, limit, options);
      // At once where it can: the caller goes on with work that would come before the message.
      if (this.opened === undefined) return ask();
      return this.opened.then(ask, (reason) => {
        // The set is never asked, so it cannot leave by itself.
        if (options.exchange !== undefined) new ScoreExchange(options.exchange).leave();
        throw reason;
      });
    };
    return { takesHints, exchanges, isAside: true, nearest };
  }

  /** Ends the thread; pending requests fail. */
  async close(): Promise<void> {
    this.closing = true;
    await this.worker.terminate();
  }

  private async openOnce(sets: readonly SetToOpen[], mate: MessagePort | undefined): Promise<void> {
    if (this.ended !== undefined) throw this.ended;
    this.worker.ref();
    try {
      await new Promise<void>((resolve, reject) => {
        this.opening = { resolve, reject };
        this.post({ open: sets, mate }, mate === undefined ? [] : [mate]);
      });
    } finally {
      this.opening = undefined;
      this.rest();
    }
  }

  private ask(set: number, query: Float32Array, limit: number, options: NearestOptions): Promise<Scored> {
    const { signal, ...wanted } = options;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.ended !== undefined) throw this.ended;
      const id = this.next++;
      const abort = () => {
        this.post({ abort: id });
        this.take(id)?.reject(signal?.reason);
      };
      const done = () => signal?.removeEventListener("abort", abort);
      this.pending.set(id, {
        resolve: (found) => {
          done();
          resolve(found);
        },
        reject: (reason) => {
          done();
          reject(reason);
        },
      });
      signal?.addEventListener("abort", abort);
      this.worker.ref();
      // A message carries the whole buffer behind an array, so send a copy.
      this.post({ id, set, query: query.slice(), limit, ...wanted });
    });
  }

  private post(request: Request, given: readonly MessagePort[] = []): void {
    this.worker.postMessage(request, given);
  }

  private settle(reply: Extract<Reply, { id: number }>): void {
    const pending = this.take(reply.id);
    if ("found" in reply) pending?.resolve(rowsSent(reply.found));
    else pending?.reject(errorOf(reply.failure));
  }

  private take(id: number): Pending<Scored> | undefined {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (this.pending.size === 0) this.rest();
    return pending;
  }

  /** Lets the process end while there is nothing to answer. */
  private rest(): void {
    if (!this.closing) this.worker.unref();
  }

  private end(reason: Error): void {
    this.ended ??= reason;
    this.opening?.reject(reason);
    for (const id of [...this.pending.keys()]) this.take(id)?.reject(reason);
  }
}

function ended(): SearchError {
  return new SearchError("search_thread_ended", "the thread that searches vectors has ended", {
    value: undefined,
    remedy: "open the lake again",
  });
}
