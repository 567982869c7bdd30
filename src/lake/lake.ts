import { LakeError } from "../contract/errors.js";
import type { SearchIndex } from "../search/search-index.js";
import type { Corpus } from "../store/corpus.js";
import { readCurrent } from "./current.js";
import { type LakeOpenOptions, type LakeView, type OpenView, openView } from "./open/open-view.js";
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
  private closed = false;

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
    const settings = await readSettings(path);
    const stamp = removalsStamp(path);
    return new Lake(path, settings, options, await openView(path, options), stamp);
  }

  get generation(): number {
    return this.view.generation;
  }

  get corpus(): Corpus {
    this.hideRemoved();
    return this.view.corpus;
  }

  get index(): SearchIndex {
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
   */
  async refresh(): Promise<void> {
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

  /** Runs `work` on one generation, which stays open until it is done whatever is refreshed meanwhile. */
  async use<T>(work: (view: LakeView) => Promise<T>): Promise<T> {
    const view = await this.current();
    view.hold();
    try {
      return await work(view);
    } finally {
      await view.release();
    }
  }

  /**
   * As {@link Lake.use}, for work that goes on: the generation stays open until the last item is taken.
   * @throws LakeError `removed_meanwhile` when something is removed from the lake before the last item is taken
   */
  async *stream<T>(work: (view: LakeView) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    const view = await this.current();
    view.hold();
    const before = this.removalState();
    try {
      for await (const item of work(view)) {
        if (this.removalState() !== before) throw removedMeanwhile(this.path);
        yield item;
      }
    } finally {
      await view.release();
    }
  }

  /** Closes every file and lets the generation go. A second call does nothing. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.refreshing;
    await this.previous?.release();
    await this.view.release();
  }

  private async moveOn(): Promise<void> {
    if (this.closed) return;
    this.hideRemoved();
    if ((await readCurrent(this.path)) === this.view.generation && !this.view.isStale) return;
    await this.replace(() => openView(this.path, this.options));
  }

  /** The view, opened again where something was removed since, so that statistics count what is shown and no more. */
  private async current(): Promise<OpenView> {
    this.hideRemoved();
    while (this.view.isStale && !this.closed) {
      const { generation } = this.view;
      this.refreshing ??= this.replace(() => openView(this.path, this.options, generation)).finally(() => {
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

/** What fails that could show what was removed while it was at work. */
export function removedMeanwhile(lake: string): LakeError {
  return new LakeError("removed_meanwhile", "Records were removed from the lake while it was being read", {
    value: lake,
    remedy: "run it again",
  });
}
