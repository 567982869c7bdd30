import { join } from "node:path";
import { systemClock } from "../../clock.js";
import { DatabaseError, LakeError, MirrorlakeError, SearchError } from "../../contract/errors.js";
import { unlessLacking } from "../../contract/lacking.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { IndexFiles } from "../../search/open-index.js";
import type { SearchIndex } from "../../search/search-index.js";
import type { Corpus } from "../../store/corpus.js";
import { checkCheaply } from "../../store/generation/checksums.js";
import type { GenerationCorpus } from "../../store/generation/generation-corpus.js";
import { openGeneration } from "../../store/generation/open-generation.js";
import { rebuildRemedy } from "../../store/generation/rebuild-remedy.js";
import { NOTHING_REMOVED, type RemovedRows } from "../../store/removals/removed-rows.js";
import { readCurrent } from "../current.js";
import { lakeClosed } from "../lake-errors.js";
import { lakePaths, SEARCH_FOLDER } from "../lake-paths.js";
import { requireCurrent } from "../missing-current.js";
import { currentDigest, readRemovals, removalsMissing, removedRowsOf } from "../removals/removals-file.js";
import { resolveGeneration } from "../removals/resolve-removals.js";
import { hasRemovals, readSettings } from "../settings.js";
import { generationMark } from "./generation-mark.js";
import { type Lease, takeLease } from "./leases.js";
import { LiveIndex } from "./live-index.js";

/** Options of {@link Lake.open}. */
export interface LakeOpenOptions {
  /** Embedder for ranking; default: the lake's own. */
  readonly embedder?: Embedder;
  /** Ranks by exact scores only. */
  readonly exact?: boolean;
  /** Worker threads of the database; default: one per core. */
  readonly threads?: number;
  /** Writes nothing into the lake's folder. Implied if the folder is not writable. */
  readonly readOnly?: boolean;
  /** Called with notices, such as that the lake is read without a lease. */
  readonly onNotice?: (message: string) => void;
}

/** An open generation: its number, its records and raw items, its search index. */
export interface LakeView {
  /** Number of the generation. */
  readonly generation: number;
  /** Its records, raw items and slices. */
  readonly corpus: Corpus;
  /** Its search index. */
  readonly index: SearchIndex;
}

/** A reference-counted view of a lake. */
export class OpenView implements LakeView {
  private users = 1;
  private hidden = false;

  constructor(
    private readonly lake: string,
    readonly generation: number,
    readonly corpus: GenerationCorpus,
    readonly index: SearchIndex,
    /** The open files of its search index, which a later view of the generation can share. */
    readonly files: IndexFiles,
    private readonly lease: Lease,
    /** State of the removals when the view was opened. */
    readonly digest: string | undefined,
    private readonly mark: string | undefined,
  ) {}

  /** Whether another generation of its number is in its place, as after a copy of the lake was restored. Reads a small file. */
  get isReplaced(): boolean {
    const mark = generationMark(lakePaths(this.lake).generation(this.generation));
    return mark !== undefined && this.mark !== undefined && mark !== this.mark;
  }

  /** Whether removals followed after the view was opened: its statistics then count hidden rows. */
  get isStale(): boolean {
    return this.hidden;
  }

  /** Hides removed rows at once, by their numbers, which say nothing of a generation that was replaced. */
  hide(removed: () => RemovedRows): void {
    if (!this.isReplaced) this.corpus.hide(removed());
    this.hidden = true;
  }

  /** Whether the view has holders. */
  get isOpen(): boolean {
    return this.users > 0;
  }

  /**
   * Adds a holder; pair with {@link OpenView.release}.
   * @throws LakeError `lake_closed` if it is closed
   */
  hold(): void {
    if (!this.isOpen) throw lakeClosed(this.lake);
    this.users++;
  }

  /** Removes a holder; the last one closes the view and releases its lease. */
  async release(): Promise<void> {
    this.users--;
    if (this.users !== 0) return;
    try {
      await this.index.close();
    } finally {
      await this.corpus.close().finally(() => this.lease.release());
    }
  }
}

/** Which view is opened, and beside which one. */
interface ViewWish {
  /** The generation, which the caller holds. Default: the published one. */
  readonly only?: number;
  /** A view that is open until this one is: of the same generation it shares the files of the index, which hold the vectors in memory. */
  readonly beside?: OpenView;
}

/**
 * Opens the published generation of a lake, or one that the caller holds by number.
 * @throws as `Lake.open`
 */
export async function openView(
  lake: string,
  options: LakeOpenOptions,
  { only, beside }: ViewWish = {},
): Promise<OpenView> {
  for (;;) {
    const generation = only ?? (await requireCurrent(lake));
    const lease = await takeLease(lake, generation, options);
    try {
      // An install that published another generation before seeing the lease may remove this one.
      if (only === undefined && (await readCurrent(lake)) !== generation) {
        await lease.release();
        continue;
      }
      const files = beside?.generation === generation && !beside.isReplaced ? beside.files : undefined;
      return await openLeased(lake, generation, lease, options, files);
    } catch (error) {
      await lease.release();
      throw error;
    }
  }
}

async function openLeased(
  lake: string,
  generation: number,
  lease: Lease,
  { embedder, exact, threads }: LakeOpenOptions,
  shared: IndexFiles | undefined,
): Promise<OpenView> {
  const dir = lakePaths(lake).generation(generation);
  const mark = generationMark(dir);
  const opening = openCorpus(lake, generation, dir, threads);
  const shown = async () => (await opening).corpus.shownRows;
  const indexing =
    shared === undefined
      ? IndexFiles.open(join(dir, SEARCH_FOLDER), { embedder, exact, shown })
      : Promise.resolve(shared);
  // Beside the rest, which mostly waits for files and a thread.
  const checking = checkCheaply(dir).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const [opened, indexed] = await Promise.allSettled([opening, indexing]);
  const unsound = await checking;
  if (unsound === undefined && opened.status === "fulfilled" && indexed.status === "fulfilled") {
    const { corpus, digest } = opened.value;
    const live = new LiveIndex(indexed.value.index(corpus.live), () =>
      corpus.removed.records.length === 0 ? undefined : corpus.live,
    );
    return new OpenView(lake, generation, corpus, live, indexed.value, lease, digest, mark);
  }
  if (opened.status === "fulfilled") await opened.value.corpus.close();
  if (indexed.status === "fulfilled" && shared === undefined) await indexed.value.close();
  const failed = [opened, indexed].find((each) => each.status === "rejected");
  if (failed === undefined) throw unlessLacking(unsound!.error);
  const error = unlessLacking(damaged(dir, failed.reason));
  // Which file is damaged says more than how that showed.
  throw error instanceof MirrorlakeError || unsound === undefined ? error : unlessLacking(unsound.error);
}

async function openCorpus(
  lake: string,
  generation: number,
  dir: string,
  threads: number | undefined,
): Promise<{ readonly corpus: GenerationCorpus; readonly digest: string | undefined }> {
  const corpus = await openGeneration(dir, { threads, nowMs: systemClock.now() });
  try {
    const { rows, digest } = await removedFrom(lake, generation, dir);
    corpus.hide(rows);
    return { corpus, digest };
  } catch (error) {
    await corpus.close();
    throw error;
  }
}

/** Reads the rows that a generation hides; derived again if missing, as in a copied lake. */
export async function removedFrom(
  lake: string,
  generation: number,
  dir: string,
): Promise<{ digest: string | undefined; rows: RemovedRows }> {
  for (;;) {
    const digest = currentDigest(lake);
    if (digest === undefined) {
      if (hasRemovals(await readSettings(lake))) throw removalsMissing(lake);
      return { digest, rows: NOTHING_REMOVED };
    }
    try {
      return { digest, rows: removedRowsOf(lake, generation, digest) };
    } catch (error) {
      if (!(error instanceof LakeError) || error.code !== "removals_unresolved") throw error;
    }
    const list = await readRemovals(lake);
    if ((await list.digest()) !== digest) continue;
    const rows = await resolveGeneration(lake, dir, list);
    return { digest, rows };
  }
}

/** Converts an error of opening a generation into one whose remedy repairs the lake. */
function damaged(dir: string, cause: unknown): unknown {
  if (cause instanceof LakeError || cause instanceof SearchError) return cause;
  const { code, path } = cause as NodeJS.ErrnoException;
  const missing = code === "ENOENT";
  if (!missing && !(cause instanceof RangeError) && !(cause instanceof DatabaseError)) return cause;
  return new LakeError(
    missing ? "generation_missing" : "generation_invalid",
    missing ? `${path ?? dir} is missing` : `${dir} is damaged: ${(cause as Error).message}`,
    {
      value: path ?? dir,
      remedy: rebuildRemedy(dir),
      cause,
    },
  );
}
