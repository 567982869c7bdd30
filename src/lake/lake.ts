import { resolve } from "node:path";
import { checkArgument, checkOptions } from "../contract/check-options.js";
import { unlessLacking } from "../contract/lacking.js";
import { PathOption } from "../contract/option-schemas.js";
import type { SearchIndex } from "../search/search-index.js";
import type { QueryPool } from "../sql/query-pool.js";
import type { Corpus } from "../store/corpus.js";
import { readCurrent } from "./current.js";
import { lakeClosed, removedMeanwhile } from "./lake-errors.js";
import type { LakeHandle, WithheldSlice } from "./lake-handle.js";
import { OPEN_OPTIONS } from "./open/open-options.js";
import type { LakeOpenOptions, LakeView, OpenView, openView } from "./open/open-view.js";
import { ViewStream } from "./open/view-stream.js";
import { currentDigest, removalsMissing, removalsStamp, removedRowsOf } from "./removals/removals-file.js";
import { type LakeSettings, readSettings } from "./settings.js";

/**
 * An open lake: one generation, read-only. Other processes may read it and install into it; this one keeps its
 * generation until {@link Lake.refresh}. Removals by any process take effect at once: every access first checks
 * for new ones.
 */
export class Lake implements LakeView, LakeHandle {
  /** All views that may still be read. */
  private readonly views = new Set<OpenView>();
  private digest: string | undefined;
  private view: OpenView;
  /** The view before the last refresh, kept for calls in progress. */
  private previous: OpenView | undefined;
  private refreshing: Promise<void> | undefined;
  /** Work in progress, and open streams. */
  private readonly running = new Set<Promise<unknown>>();
  private readonly streams = new Set<ViewStream<unknown>>();
  private closing: Promise<void> | undefined;
  private queries: QueryPool | undefined;

  private constructor(
    /** Folder of the lake, absolute. */
    readonly path: string,
    readonly settings: LakeSettings,
    private readonly options: LakeOpenOptions,
    view: OpenView,
    /** Identifies the state of the lake's removals. */
    private stamp: string,
  ) {
    this.view = view;
    this.views.add(view);
    this.digest = view.digest;
  }

  /**
   * Opens a lake.
   * @throws LakeError `lake_not_found`, `lake_newer_format`, `lake_empty`, `generation_invalid`, `removals_corrupt`,
   * `removals_missing`, `not_readable`, `too_many_open_files`, `out_of_memory`, `name_too_long`
   */
  static async open(path: string, options: LakeOpenOptions = {}): Promise<Lake> {
    checkArgument(PathOption, path, "path", "Lake.open");
    checkOptions(OPEN_OPTIONS, options, "Lake.open");
    // It stays the same folder when the process changes its own.
    const folder = resolve(path);
    try {
      const settings = await readSettings(folder);
      const stamp = removalsStamp(folder);
      return new Lake(folder, settings, options, await loadView(folder, options), stamp);
    } catch (error) {
      throw unlessLacking(error);
    }
  }

  get generation(): number {
    return this.view.generation;
  }

  /** @throws LakeError `lake_closed` */
  get corpus(): Corpus {
    this.assertOpen();
    this.hideRemoved();
    return this.view.corpus;
  }

  /** @throws LakeError `lake_closed` */
  get index(): SearchIndex {
    this.assertOpen();
    this.hideRemoved();
    return this.view.index;
  }

  /**
   * Slices with removed content, by root, with counts of records and raw items: their files must not be handed
   * out. `compact` replaces them with revisions.
   */
  get withheld(): ReadonlyMap<string, WithheldSlice> {
    return new Map(Object.entries(this.corpus.removed.slices));
  }

  /**
   * Switches to the published generation if it is another. Earlier values of `corpus` and `index` stay usable
   * until the next call of this or the next switch; {@link Lake.use} keeps them longer.
   * @throws LakeError `lake_closed`
   */
  async refresh(): Promise<void> {
    this.assertOpen();
    this.refreshing ??= this.moveOn().finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /**
   * Identifies the state of removals. Compare it before and after work on a view to detect removals meanwhile.
   */
  removalState(): string | undefined {
    this.hideRemoved();
    return this.digest;
  }

  /** The processes that run queries of users; made by `make` for the first of them. */
  queryPool(make: () => QueryPool): QueryPool {
    this.queries ??= make();
    return this.queries;
  }

  /**
   * Runs `work` on one generation, which stays open until `work` ends, despite refreshes or a close.
   * @throws LakeError `lake_closed`
   */
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

  /** Reads the settings: the folder is there. @throws LakeError `lake_closed`, `lake_not_found` */
  async check(): Promise<void> {
    this.assertOpen();
    await readSettings(this.path);
  }

  /**
   * Like {@link Lake.use}, for a stream: the generation stays open until the last item. Closing the lake ends
   * the stream with `lake_closed`.
   * @throws LakeError `removed_meanwhile` if something is removed from the lake before the last item;
   * `lake_closed`
   */
  stream<T>(work: (view: LakeView) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    return new ViewStream(this.path, (stream) => this.streamed(stream, work));
  }

  /**
   * Collects all items of a stream; {@link Lake.close} waits for them.
   * @throws LakeError `removed_meanwhile`, `lake_closed`
   */
  async gather<T>(work: (view: LakeView) => AsyncIterable<T>): Promise<T[]> {
    return this.use(async (view) => {
      const items: T[] = [];
      for await (const item of this.unlessRemoved(work(view))) items.push(item);
      return items;
    });
  }

  /**
   * Waits for work in progress, closes every file, and releases the generation's lease. Of a stream, only the
   * current item is awaited, so an idle stream keeps nothing open. Later calls fail with `lake_closed`; closing
   * again waits for the same.
   */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  /** Closes the lake. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async end(): Promise<void> {
    await Promise.allSettled([...this.running, ...[...this.streams].map((stream) => stream.cut())]);
    await this.refreshing?.catch(() => {}); // its caller gets the error
    await this.queries?.close();
    try {
      await this.previous?.release();
    } finally {
      await this.view.release();
    }
  }

  private assertOpen(): void {
    if (this.closing !== undefined) throw lakeClosed(this.path);
  }

  private async hold<T>(work: (view: LakeView) => Promise<T>): Promise<T> {
    const view = await this.current();
    view.hold();
    try {
      return await work(view);
    } finally {
      await view.release();
    }
  }

  private async *streamed<T>(
    stream: ViewStream<unknown>,
    work: (view: LakeView) => AsyncIterable<T>,
  ): AsyncGenerator<T, void, void> {
    this.assertOpen();
    this.streams.add(stream);
    try {
      const view = await this.current();
      view.hold();
      try {
        yield* this.unlessRemoved(work(view));
      } finally {
        await view.release();
      }
    } finally {
      this.streams.delete(stream);
    }
  }

  private async *unlessRemoved<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    const before = this.removalState();
    for await (const item of items) {
      if (this.removalState() !== before) throw removedMeanwhile(this.path);
      yield item;
    }
  }

  private async moveOn(): Promise<void> {
    this.hideRemoved();
    const isPublished = (await readCurrent(this.path)) === this.view.generation;
    if (isPublished && !this.view.isStale && !this.view.isReplaced) return this.releasePrevious();
    await this.replace(() => loadView(this.path, this.options, { beside: this.view }));
  }

  /** Returns the view, reopened after removals so that statistics count visible rows only. */
  private async current(): Promise<OpenView> {
    this.hideRemoved();
    while (this.view.isStale) {
      const beside = this.view;
      const wish = beside.isReplaced ? {} : { only: beside.generation, beside };
      this.refreshing ??= this.replace(() => loadView(this.path, this.options, wish)).finally(() => {
        this.refreshing = undefined;
      });
      await this.refreshing;
      this.hideRemoved();
    }
    return this.view;
  }

  private async replace(open: () => Promise<OpenView>): Promise<void> {
    const next = await open();
    const { previous } = this;
    this.previous = this.view;
    this.view = next;
    this.views.add(next);
    if (next.digest !== this.digest) this.stamp = ANOTHER_STATE;
    this.queries?.keepOnly(this.previous.isReplaced ? "" : next.corpus.database);
    await previous?.release();
    this.hideRemoved();
  }

  /** Closes what was open before the last switch: of a large lake it takes as much memory as what is open. */
  private releasePrevious(previous = this.previous): Promise<void> | undefined {
    this.previous = undefined;
    return previous?.release();
  }

  /** Hides new removals in every open view. One `stat` if there are none. */
  private hideRemoved(): void {
    const stamp = removalsStamp(this.path);
    if (stamp === this.stamp) return;
    for (;;) {
      const digest = currentDigest(this.path);
      if (digest === undefined) throw removalsMissing(this.path);
      try {
        for (const view of this.views) {
          if (!view.isOpen) this.views.delete(view);
          else if (view.digest !== digest || view.isStale)
            view.hide(() => removedRowsOf(this.path, view.generation, digest));
        }
        this.digest = digest;
        this.stamp = stamp;
        return;
      } catch (error) {
        // A later removal may have replaced the file of hidden rows.
        if (currentDigest(this.path) === digest) throw error;
      }
    }
  }
}

/** Matches no state of the removals, so that the next access reads them. */
const ANOTHER_STATE = "?";

/** Opens a view. The first lake that is opened loads the engine and the indexes, not the import of this class. */
const loadView: typeof openView = async (...args) => (await import("./open/open-view.js")).openView(...args);
