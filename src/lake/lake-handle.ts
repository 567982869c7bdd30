import type { SearchIndex } from "../search/search-index.js";
import type { QueryPool } from "../sql/query-pool.js";
import type { Corpus } from "../store/corpus.js";
import type { LakeView } from "./open/open-view.js";
import type { LakeSettings } from "./settings.js";

/** Counts of removed items in a slice. */
export interface WithheldSlice {
  readonly records: number;
  readonly raw: number;
}

/** An open lake, in a folder or on ClickHouse: one state of it, read-only, until {@link LakeHandle.refresh}. */
export interface LakeHandle extends AsyncDisposable {
  /** Folder of the lake, or its address without the password. */
  readonly path: string;
  readonly settings: LakeSettings;
  /** Number of the generation, or of complete loads. */
  readonly generation: number;
  /** @throws LakeError `lake_closed` */
  readonly corpus: Corpus;
  /** @throws LakeError `lake_closed` */
  readonly index: SearchIndex;
  /**
   * Slices with removed content, by root, with counts of records and raw items: their files must not be handed
   * out. `compact` replaces them with revisions.
   */
  readonly withheld: ReadonlyMap<string, WithheldSlice>;
  /**
   * Switches to what was installed since. Earlier values of `corpus` and `index` stay usable until the next
   * call of this or the next switch; {@link LakeHandle.use} keeps them longer.
   * @throws LakeError `lake_closed`
   */
  refresh(): Promise<void>;
  /**
   * Identifies the state of removals. Compare it before and after work on a view to detect removals meanwhile.
   */
  removalState(): string | undefined;
  /** The processes that run queries of users; made by `make` for the first of them. */
  queryPool(make: () => QueryPool): QueryPool;
  /**
   * Runs `work` on one state of the lake, which stays open until `work` ends, despite refreshes or a close.
   * @param signal of a caller that may go away: its work is not made again then, nor checked
   * @throws LakeError `lake_closed`; the signal's reason
   */
  use<T>(work: (view: LakeView) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Asks the lake for what costs next to nothing. @throws LakeError if it gives no answer; the signal's reason */
  check(signal?: AbortSignal): Promise<void>;
  /**
   * Like {@link LakeHandle.use}, for a stream: the state stays open until the last item. Closing the lake ends
   * the stream with `lake_closed`.
   * @throws LakeError `removed_meanwhile` if something is removed from the lake before the last item;
   * `lake_closed`
   */
  stream<T>(work: (view: LakeView) => AsyncIterable<T>): AsyncGenerator<T, void, void>;
  /**
   * Collects all items of a stream; {@link LakeHandle.close} waits for them.
   * @throws LakeError `removed_meanwhile`, `lake_closed`
   */
  gather<T>(work: (view: LakeView) => AsyncIterable<T>): Promise<T[]>;
  /** Waits for work in progress, and closes everything. Later calls fail with `lake_closed`. */
  close(): Promise<void>;
}
