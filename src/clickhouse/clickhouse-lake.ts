import { lakeClosed, removedMeanwhile } from "../lake/lake-errors.js";
import type { LakeHandle, WithheldSlice } from "../lake/lake-handle.js";
import { ViewStream } from "../lake/open/view-stream.js";
import type { LakeSettings } from "../lake/settings.js";
import type { SearchIndex } from "../search/search-index.js";
import type { QueryPool } from "../sql/query-pool.js";
import type { Corpus } from "../store/corpus.js";
import { AskedCorpus, type Asker } from "./asked-corpus.js";
import { AskedIndex } from "./asked-index.js";
import { type ClickHouseAddress, shownClickHouse } from "./clickhouse-address.js";
import { gaveNoAnswer } from "./clickhouse-error.js";
import { type ClickHouseView, openClickHouseView, type RankingChoice } from "./clickhouse-view.js";
import { committedLoads, installsOf, type Load, readRemovalState, removalState } from "./committed-loads.js";
import { Connection } from "./connection.js";
import { CLICKHOUSE_DEFAULTS } from "./defaults.js";
import { type Held, release, type ShownView, shownView } from "./held-view.js";
import { hasPricePoints } from "./removals/price-changes.js";
import { supersededRoots } from "./superseded.js";
import { clusterUnsupported } from "./unsupported.js";

/**
 * An open lake on ClickHouse: the loads that were complete when it was opened, or last refreshed. Removals hold at once: when an
 * answer is made, the state of the removals is read, and where it is another than that of the view, the answer is made again.
 */
export class ClickHouseLake implements LakeHandle {
  /** The address, without its password. */
  readonly path: string;
  readonly settings: LakeSettings = { formatVersion: 1 };
  private readonly running = new Set<Promise<unknown>>();
  private readonly streams = new Set<ViewStream<unknown>>();
  private refreshing: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private queries: Promise<Connection> | undefined;

  private constructor(
    private readonly connection: Connection,
    private held: Held,
  ) {
    this.path = shownClickHouse(connection.address);
  }

  /**
   * Opens a lake.
   * @throws LakeError `lake_not_found`, `lake_empty`, `cluster_*`; SearchError `embedder_differs`; UsageError `invalid_lake_address`
   */
  static async open(address: ClickHouseAddress, ranking: RankingChoice = {}): Promise<ClickHouseLake> {
    const connection = await Connection.open(address);
    try {
      const view = await openClickHouseView(connection, ranking);
      return new ClickHouseLake(connection, { view, users: 1 });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Number of complete loads in the view. */
  get generation(): number {
    return this.held.view.generation;
  }

  /** @throws LakeError `lake_closed` */
  get corpus(): Corpus {
    this.assertOpen();
    return new AskedCorpus(this.directly());
  }

  /** @throws LakeError `lake_closed` */
  get index(): SearchIndex {
    this.assertOpen();
    return new AskedIndex(this.directly());
  }

  /** Every slice: a lake on ClickHouse has no files of them to hand out. */
  get withheld(): ReadonlyMap<string, WithheldSlice> {
    return new Map(Object.entries(this.corpus.removed.slices));
  }

  /** Takes in loads that were completed since. @throws LakeError `lake_closed`, `cluster_*` */
  async refresh(): Promise<void> {
    this.assertOpen();
    this.refreshing ??= this.moveOn().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** The state of the removals when it was last asked for. */
  removalState(): string {
    return this.held.view.removals;
  }

  /** @throws LakeError `cluster_unsupported` */
  queryPool(): QueryPool {
    throw clusterUnsupported("Processes for queries", this.path, "The server runs them: use lake.sql().");
  }

  /** A connection for queries of users; one for all of them. @throws LakeError `lake_closed`, `cluster_driver_missing` */
  queryConnection(): Promise<Connection> {
    this.assertOpen();
    this.queries ??= Connection.open(this.connection.address, "query");
    return this.queries;
  }

  /** @throws LakeError `lake_closed` */
  async use<T>(work: (view: ShownView) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.assertOpen();
    const running = this.hold(work, signal);
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }

  stream<T>(work: (view: ShownView) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    return new ViewStream(this.path, (stream) => this.streamed(stream, work));
  }

  async gather<T>(work: (view: ShownView) => AsyncIterable<T>): Promise<T[]> {
    return this.use(async (view) => {
      const items: T[] = [];
      for await (const item of work(view)) items.push(item);
      return items;
    });
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @throws LakeError `lake_closed`, `cluster_*`; the signal's reason */
  async check(signal?: AbortSignal): Promise<void> {
    this.assertOpen();
    await readRemovalState(this.connection, signal);
  }

  private async hold<T>(work: (view: ShownView) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { held } = this;
    held.users += 1;
    try {
      return await this.answer(
        held,
        (view, noteAsked) => {
          const asker: Asker = {
            view: () => view,
            ask: (question) => {
              noteAsked();
              return question(view);
            },
          };
          return work(shownView(view, asker));
        },
        signal,
      );
    } catch (error) {
      // The lake holds a newer view by then.
      if (held.outdated === true && this.held !== held) return await this.hold(work, signal);
      throw error;
    } finally {
      await release(held);
    }
  }

  /** Asks each question of its own: for callers that hold no view. */
  private directly(): Asker {
    const { held } = this;
    return {
      view: () => held.view,
      ask: (question) =>
        this.answer(held, (view, noteAsked) => {
          noteAsked();
          return question(view);
        }),
    };
  }

  /**
   * Makes an answer by the newest state of the removals: after the server was asked, that state is read, and unless it is still the
   * view's, the answer is thrown away and made again. What asked nothing is done once.
   */
  private async answer<T>(
    held: Held,
    make: (view: ClickHouseView, noteAsked: () => void) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    for (let left = CLICKHOUSE_DEFAULTS.attempts; left > 0; left -= 1) {
      if (held.outdated === true) throw removedMeanwhile(this.path);
      const { view } = held;
      let asked = false;
      const [made] = await Promise.allSettled([
        make(view, () => {
          asked = true;
        }),
      ]);
      // Nobody waits for an answer any more, and the server may not give one.
      signal?.throwIfAborted();
      // It would not tell the state of the removals either, and an error shows nothing.
      if (made!.status === "rejected" && gaveNoAnswer(made!.reason)) throw made!.reason;
      const isNewest = !asked || (await readRemovalState(this.connection, signal)) === view.removals;
      if (isNewest && made!.status === "rejected") throw made!.reason;
      if (isNewest && made!.status === "fulfilled") return made!.value;
      await this.showRemovals(held, view);
    }
    throw removedMeanwhile(this.path);
  }

  /**
   * Moves what is held on to the newest state of the removals, unless it has another than `seen` already. What follows from a removal
   * is derived from all that the lake has: a view of superseded slices cannot say what it has to hide, nor one without the newest price
   * points what prices are left, and another one takes its place.
   */
  private async showRemovals(held: Held, seen: ClickHouseView): Promise<void> {
    if (held.view !== seen || held.outdated === true) return;
    held.moving ??= (async () => {
      const loads = await committedLoads(this.connection);
      const known = new Set(seen.loads.map(({ id }) => id));
      const newer = installsOf(loads).filter(({ id }) => !known.has(id));
      const superseded = supersededRoots(seen.loads);
      if (
        [...supersededRoots(loads)].some((root) => !superseded.has(root)) ||
        (newer.length > 0 && (await hasPricePoints({ connection: this.connection, loads: newer })))
      ) {
        held.outdated = true;
        return this.reopen(held);
      }
      held.view = await seen.another(loads);
      await seen.close(); // what it has open is shared with the new one
    })().finally(() => {
      held.moving = undefined;
    });
    return held.moving;
  }

  /** Puts a view of all complete loads in the place of what is held. */
  private async reopen(held: Held): Promise<void> {
    if (this.held !== held) return;
    const view = await held.view.newest();
    if (this.held !== held) return view.close();
    this.held = { view, users: 1 };
    await release(held);
  }

  private async *streamed<T>(
    stream: ViewStream<unknown>,
    work: (view: ShownView) => AsyncIterable<T>,
  ): AsyncGenerator<T, void, void> {
    this.assertOpen();
    const { held } = this;
    held.users += 1;
    this.streams.add(stream);
    try {
      const { view } = held;
      const asker: Asker = { view: () => view, ask: (question) => question(view) };
      for await (const item of work(shownView(view, asker))) {
        if ((await readRemovalState(this.connection)) !== view.removals) throw removedMeanwhile(this.path);
        yield item;
      }
    } finally {
      this.streams.delete(stream);
      await release(held);
    }
  }

  private async moveOn(): Promise<void> {
    const { held } = this;
    const loads = await committedLoads(this.connection);
    const idsOf = (some: readonly Load[]) => some.map(({ id }) => id).join();
    if (idsOf(installsOf(loads)) === idsOf(held.view.loads)) {
      if (removalState(loads) !== held.view.removals) await this.showRemovals(held, held.view);
      return;
    }
    await this.reopen(held);
  }

  private async end(): Promise<void> {
    await Promise.allSettled([...this.running, ...[...this.streams].map((stream) => stream.cut())]);
    await this.refreshing?.catch(() => {}); // its caller gets the error
    try {
      await release(this.held);
    } finally {
      await (await this.queries)?.close();
      await this.connection.close();
    }
  }

  private assertOpen(): void {
    if (this.closing !== undefined) throw lakeClosed(this.path);
  }
}
