import { checkArgument, checkOptions } from "../contract/check-options.js";
import { LakeError } from "../contract/errors.js";
import { PathOption } from "../contract/option-schemas.js";
import type { SearchIndex } from "../search/search-index.js";
import type { Corpus } from "../store/corpus.js";
import { readCurrent } from "./current.js";
import { lakeClosed } from "./lake-closed.js";
import { OPEN_OPTIONS } from "./open/open-options.js";
import type { LakeOpenOptions, LakeView, OpenView, openView } from "./open/open-view.js";
import { ViewStream } from "./open/view-stream.js";
import { currentDigest, removalsMissing, removalsStamp, removedRowsOf } from "./removals/removals-file.js";
import { type LakeSettings, readSettings } from "./settings.js";

/** How many removed items a slice holds. */
export interface WithheldSlice {
  readonly records: number;
  readonly raw: number;
}

/**
 * An open lake: one generation of it, read-only. Other processes may read it too, and install into it; this one stays
 * with its generation until {@link Lake.refresh}. What any process removes from the lake is hidden at once: every access
 * begins by looking whether something was.
 */
export class Lake implements LakeView {
  /** Every view that may still be read. */
  private readonly views = new Set<OpenView>();
  private digest: string | undefined;
  private view: OpenView;
  /** The view before the last refresh, kept for calls that were under way then. */
  private previous: OpenView | undefined;
  private refreshing: Promise<void> | undefined;
  /** Work on a view that is under way, and streams whose next item may be asked for. */
  private readonly running = new Set<Promise<unknown>>();
  private readonly streams = new Set<ViewStream<unknown>>();
  private closing: Promise<void> | undefined;

  private constructor(
    /** Folder of the lake. */
    readonly path: string,
    readonly settings: LakeSettings,
    private readonly options: LakeOpenOptions,
    view: OpenView,
    /** What tells one state of the lake's removals from another. */
    private stamp: string,
  ) {
    this.view = view;
    this.views.add(view);
    this.digest = view.digest;
  }

  /**
   * Opens a lake.
   * @throws LakeError `lake_not_found`, `lake_newer_format`, `lake_empty`, `generation_invalid`, `removals_corrupt`,
   * `removals_missing`
   */
  static async open(path: string, options: LakeOpenOptions = {}): Promise<Lake> {
    checkArgument(PathOption, path, "path", "Lake.open");
    checkOptions(OPEN_OPTIONS, options, "Lake.open");
    const settings = await readSettings(path);
    const stamp = removalsStamp(path);
    return new Lake(path, settings, options, await loadView(path, options), stamp);
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
   * The slices that hold something that was removed, by root, with how many records and raw items: their files must not be
   * handed out as they are. `compact` puts revisions in their place.
   */
  get withheld(): ReadonlyMap<string, WithheldSlice> {
    return new Map(Object.entries(this.corpus.removed.slices));
  }

  /**
   * Moves on to the published generation if it is another. What was taken from `corpus` and `index` before stays usable
   * until the next refresh that moves on; {@link Lake.use} makes it last as long as it is needed.
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
   * What is different after every removal from the lake, in this process or another; compared before and after work on a
   * view, it says whether something was removed meanwhile.
   */
  removalState(): string | undefined {
    this.hideRemoved();
    return this.digest;
  }

  /**
   * Runs `work` on one generation, which stays open until it is done whatever is refreshed or closed meanwhile.
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

  /**
   * As {@link Lake.use}, for work that goes on: the generation stays open until the last item is taken. Closing the lake ends
   * it: who then asks for another item gets `lake_closed`.
   * @throws LakeError `removed_meanwhile` when something is removed from the lake before the last item is taken; `lake_closed`
   */
  stream<T>(work: (view: LakeView) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    return new ViewStream(this.path, (stream) => this.streamed(stream, work));
  }

  /** All items of a stream, which {@link Lake.close} waits for. @throws LakeError `removed_meanwhile`, `lake_closed` */
  async gather<T>(work: (view: LakeView) => AsyncIterable<T>): Promise<T[]> {
    return this.use(async (view) => {
      const items: T[] = [];
      for await (const item of this.unlessRemoved(work(view))) items.push(item);
      return items;
    });
  }

  /**
   * Waits for the work that is under way, closes every file, once, and lets the generation go. Of a stream that is the item
   * which is being made, not those that nobody has asked for yet, so that a stream which nobody reads on keeps nothing open.
   * Calls from now on fail with `lake_closed`; closing again waits for the same.
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
    await this.refreshing?.catch(() => {}); // whoever asked for it has the error
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
    if ((await readCurrent(this.path)) === this.view.generation && !this.view.isStale) return;
    await this.replace(() => loadView(this.path, this.options));
  }

  /** The view, opened again where something was removed since, so that statistics count what is shown and no more. */
  private async current(): Promise<OpenView> {
    this.hideRemoved();
    while (this.view.isStale) {
      const { generation } = this.view;
      this.refreshing ??= this.replace(() => loadView(this.path, this.options, generation)).finally(() => {
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
    await previous?.release();
    this.hideRemoved();
  }

  /** Hides what was removed since the last look, from every view that may still be read. One `stat` where nothing was. */
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
            view.hide(removedRowsOf(this.path, view.generation, digest));
        }
        this.digest = digest;
        this.stamp = stamp;
        return;
      } catch (error) {
        // Another removal may have come between: what was found for the one before it is then gone.
        if (currentDigest(this.path) === digest) throw error;
      }
    }
  }
}

/** A state of the removals that no file has: the next look then looks closely. */
const ANOTHER_STATE = "?";

/** Opens a view. The engine and the indexes are loaded by the first lake that is opened, not by who imports the class. */
const loadView: typeof openView = async (...args) => (await import("./open/open-view.js")).openView(...args);

/** What fails that could show what was removed while it was at work. */
export function removedMeanwhile(lake: string): LakeError {
  return new LakeError("removed_meanwhile", "Records were removed from the lake while it was being read", {
    value: lake,
    remedy: "run it again",
  });
}
