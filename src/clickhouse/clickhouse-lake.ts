import { lakeClosed } from "../lake/lake-closed.js";
import type { LakeHandle, WithheldSlice } from "../lake/lake-handle.js";
import type { LakeView } from "../lake/open/open-view.js";
import { ViewStream } from "../lake/open/view-stream.js";
import type { LakeSettings } from "../lake/settings.js";
import type { SearchIndex } from "../search/search-index.js";
import type { QueryPool } from "../sql/query-pool.js";
import type { Corpus } from "../store/corpus.js";
import { type ClickHouseAddress, shownClickHouse } from "./clickhouse-address.js";
import { type ClickHouseView, openClickHouseView } from "./clickhouse-view.js";
import { committedLoads } from "./committed-loads.js";
import { Connection } from "./connection.js";
import { clusterUnsupported } from "./unsupported.js";

/** A view and how many use it. */
interface Held {
  readonly view: ClickHouseView;
  users: number;
}

/** An open lake on ClickHouse: the loads that were complete when it was opened, or last refreshed. */
export class ClickHouseLake implements LakeHandle {
  /** The address, without its password. */
  readonly path: string;
  readonly settings: LakeSettings = { formatVersion: 1 };
  private readonly running = new Set<Promise<unknown>>();
  private readonly streams = new Set<ViewStream<unknown>>();
  private refreshing: Promise<void> | undefined;
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly connection: Connection,
    private held: Held,
  ) {
    this.path = shownClickHouse(connection.address);
  }

  /**
   * Opens a lake.
   * @throws LakeError `lake_not_found`, `lake_empty`, `cluster_*`; UsageError `invalid_lake_address`
   */
  static async open(address: ClickHouseAddress): Promise<ClickHouseLake> {
    const connection = await Connection.open(address);
    try {
      return new ClickHouseLake(connection, { view: await openClickHouseView(connection), users: 1 });
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
    return this.held.view.corpus;
  }

  /** @throws LakeError `lake_closed` */
  get index(): SearchIndex {
    this.assertOpen();
    return this.held.view.index;
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

  /** Always undefined: nothing is removed. */
  removalState(): undefined {
    return undefined;
  }

  /** @throws LakeError `cluster_unsupported` */
  queryPool(): QueryPool {
    throw clusterUnsupported("SQL queries", this.path, "Use a lake in a folder.");
  }

  /** @throws LakeError `lake_closed` */
  async use<T>(work: (view: LakeView) => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = this.hold(work);
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }

  stream<T>(work: (view: LakeView) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    return new ViewStream(this.path, (stream) => this.streamed(stream, work));
  }

  async gather<T>(work: (view: LakeView) => AsyncIterable<T>): Promise<T[]> {
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

  private async hold<T>(work: (view: LakeView) => Promise<T>): Promise<T> {
    const { held } = this;
    held.users += 1;
    try {
      return await work(held.view);
    } finally {
      await release(held);
    }
  }

  private async *streamed<T>(
    stream: ViewStream<unknown>,
    work: (view: LakeView) => AsyncIterable<T>,
  ): AsyncGenerator<T, void, void> {
    this.assertOpen();
    const { held } = this;
    held.users += 1;
    this.streams.add(stream);
    try {
      yield* work(held.view);
    } finally {
      this.streams.delete(stream);
      await release(held);
    }
  }

  private async moveOn(): Promise<void> {
    const loads = await committedLoads(this.connection);
    const seen = this.held.view.loads.map(({ id }) => id).join();
    if (loads.map(({ id }) => id).join() === seen) return;
    const before = this.held;
    this.held = { view: await openClickHouseView(this.connection), users: 1 };
    await release(before);
  }

  private async end(): Promise<void> {
    await Promise.allSettled([...this.running, ...[...this.streams].map((stream) => stream.cut())]);
    await this.refreshing?.catch(() => {}); // its caller gets the error
    try {
      await release(this.held);
    } finally {
      await this.connection.close();
    }
  }

  private assertOpen(): void {
    if (this.closing !== undefined) throw lakeClosed(this.path);
  }
}

async function release(held: Held): Promise<void> {
  held.users -= 1;
  if (held.users === 0) await held.view.close();
}
