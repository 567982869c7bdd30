import { join } from "node:path";
import { DatabaseError, LakeError, SearchError } from "../../contract/errors.js";
import type { Embedder } from "../../search/embed/embedder.js";
import { openIndex, type SearchIndex } from "../../search/search-index.js";
import type { Corpus } from "../../store/corpus.js";
import { type GenerationCorpus, openGeneration } from "../../store/open-generation.js";
import { NOTHING_REMOVED, type RemovedRows } from "../../store/removals/removed-rows.js";
import { readCurrent } from "../current.js";
import { lakeClosed } from "../lake-closed.js";
import { lakePaths, SEARCH_FOLDER } from "../lake-paths.js";
import { currentDigest, readRemovals, removalsMissing, removedRowsOf } from "../removals/removals-file.js";
import { resolveGeneration } from "../removals/resolve-removals.js";
import { hasRemovals, readSettings } from "../settings.js";
import { type Lease, takeLease } from "./leases.js";
import { LiveIndex } from "./live-index.js";

/** Options of {@link Lake.open}. */
export interface LakeOpenOptions {
  /** Embedder that ranks; the lake's own by default. */
  readonly embedder?: Embedder;
  /** Rank by exact scores alone. */
  readonly exact?: boolean;
  /** Worker threads of the database; its own default is one a core. */
  readonly threads?: number;
  /** Write nothing into the lake's folder. Where it cannot be written to that goes without saying. */
  readonly readOnly?: boolean;
  /** Called with a sentence that the reader of a lake may want to know, such as that it is read without a lease. */
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

/** A view of a lake that is open until everybody who holds it lets it go. */
export class OpenView implements LakeView {
  private users = 1;
  private hidden = false;

  constructor(
    private readonly lake: string,
    readonly generation: number,
    readonly corpus: GenerationCorpus,
    readonly index: SearchIndex,
    private readonly lease: Lease,
    /** State of the lake's removals that the view was opened with. */
    readonly digest: string | undefined,
  ) {}

  /** Whether something was removed from the lake after this view was opened: its statistics then count what is hidden. */
  get isStale(): boolean {
    return this.hidden;
  }

  /** Hides what was removed from the lake, at once. */
  hide(removed: RemovedRows): void {
    this.corpus.hide(removed);
    this.hidden = true;
  }

  /** Whether anybody still holds it. */
  get isOpen(): boolean {
    return this.users > 0;
  }

  /** Keeps it open until it is released once more. @throws LakeError `lake_closed` where it is closed already */
  hold(): void {
    if (!this.isOpen) throw lakeClosed(this.lake);
    this.users++;
  }

  /** Lets it go; the last to do so closes it and gives its lease back. */
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

/** Opens the published generation of a lake, or the one of a number that somebody holds. @throws as `Lake.open` */
export async function openView(lake: string, options: LakeOpenOptions, only?: number): Promise<OpenView> {
  for (;;) {
    const generation = only ?? (await readCurrent(lake));
    if (generation === undefined) {
      throw new LakeError("lake_empty", `Nothing has been installed into the lake at ${lake}`, {
        value: lake,
        remedy: "install slices: mirrorlake install <slices…> --lake <dir>",
      });
    }
    const lease = await takeLease(lake, generation, options);
    try {
      // An install that published another generation before it could see the lease may remove this one.
      if (only === undefined && (await readCurrent(lake)) !== generation) {
        await lease.release();
        continue;
      }
      return await openLeased(lake, generation, lease, options);
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
): Promise<OpenView> {
  const dir = lakePaths(lake).generation(generation);
  const opening = openCorpus(lake, generation, dir, threads);
  const indexing = openIndex(join(dir, SEARCH_FOLDER), {
    embedder,
    exact,
    live: async () => (await opening).corpus.live,
  });
  const [opened, indexed] = await Promise.allSettled([opening, indexing]);
  if (opened.status === "fulfilled" && indexed.status === "fulfilled") {
    const { corpus, digest } = opened.value;
    const live = new LiveIndex(indexed.value, () =>
      corpus.removed.records.length === 0 ? undefined : corpus.live,
    );
    return new OpenView(lake, generation, corpus, live, lease, digest);
  }
  if (opened.status === "fulfilled") await opened.value.corpus.close();
  if (indexed.status === "fulfilled") await indexed.value.close();
  throw damaged(
    dir,
    opened.status === "rejected" ? opened.reason : (indexed as PromiseRejectedResult).reason,
  );
}

async function openCorpus(
  lake: string,
  generation: number,
  dir: string,
  threads: number | undefined,
): Promise<{ readonly corpus: GenerationCorpus; readonly digest: string | undefined }> {
  const corpus = await openGeneration(dir, { threads });
  try {
    const { rows, digest } = await removedFrom(lake, generation, dir);
    corpus.hide(rows);
    return { corpus, digest };
  } catch (error) {
    await corpus.close();
    throw error;
  }
}

/** What a generation must hide; found out anew where it was not kept, as in a lake that was copied. */
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
    if (list.toText().digest !== digest) continue;
    const rows = await resolveGeneration(lake, dir, list);
    return { digest, rows };
  }
}

/** What keeps a generation from opening, as an error that says how to mend the lake. */
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
      remedy: "build the generation anew from the lake's slices: mirrorlake install --rebuild",
      cause,
    },
  );
}
