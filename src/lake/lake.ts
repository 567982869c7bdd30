import { join } from "node:path";
import { LakeError, SearchError } from "../contract/errors.js";
import type { Corpus } from "../corpus/corpus.js";
import { DatabaseError } from "../corpus/duckdb.js";
import { type GenerationCorpus, openGeneration } from "../corpus/generation/open-generation.js";
import type { Embedder } from "../search/embed/embedder.js";
import { openIndex, type SearchIndex } from "../search/search-index.js";
import { readCurrent } from "./current.js";
import { lakePaths, SEARCH_FOLDER } from "./lake-paths.js";
import { type Lease, takeLease } from "./leases.js";
import { type LakeSettings, readSettings } from "./settings.js";

/** Options of {@link Lake.open}. */
export interface LakeOpenOptions {
  /** Embedder that ranks; the lake's own by default. */
  readonly embedder?: Embedder;
  /** Rank by exact scores alone. */
  readonly exact?: boolean;
  /** Worker threads of the database; its own default is one a core. */
  readonly threads?: number;
}

/** An open generation: its number, its records and raw items, its search index. */
export interface LakeView {
  readonly generation: number;
  readonly corpus: Corpus;
  readonly index: SearchIndex;
}

class OpenView implements LakeView {
  private users = 1;

  constructor(
    readonly generation: number,
    readonly corpus: GenerationCorpus,
    readonly index: SearchIndex,
    private readonly lease: Lease,
  ) {}

  hold(): void {
    this.users++;
  }

  async release(): Promise<void> {
    this.users--;
    if (this.users > 0) return;
    await this.index.close();
    await this.corpus.close();
    await this.lease.release();
  }
}

/**
 * An open lake: one generation of it, read-only. Other processes may read it too, and install into it; this one stays
 * with its generation until {@link Lake.refresh}.
 */
export class Lake implements LakeView {
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
  ) {
    this.view = view;
  }

  /**
   * Opens a lake.
   * @throws LakeError `lake_not_found`, `lake_newer_format`, `lake_empty`, `generation_invalid`
   */
  static async open(path: string, options: LakeOpenOptions = {}): Promise<Lake> {
    const settings = await readSettings(path);
    return new Lake(path, settings, options, await openView(path, options));
  }

  get generation(): number {
    return this.view.generation;
  }

  get corpus(): Corpus {
    return this.view.corpus;
  }

  get index(): SearchIndex {
    return this.view.index;
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

  /** Runs `work` on one generation, which stays open until it is done whatever is refreshed meanwhile. */
  async use<T>(work: (view: LakeView) => Promise<T>): Promise<T> {
    const { view } = this;
    view.hold();
    try {
      return await work(view);
    } finally {
      await view.release();
    }
  }

  /** As {@link Lake.use}, for work that goes on: the generation stays open until the last item is taken. */
  async *stream<T>(work: (view: LakeView) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    const { view } = this;
    view.hold();
    try {
      yield* work(view);
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
    if (this.closed || (await readCurrent(this.path)) === this.view.generation) return;
    const next = await openView(this.path, this.options);
    const { previous } = this;
    this.previous = this.view;
    this.view = next;
    await previous?.release();
  }
}

async function openView(lake: string, options: LakeOpenOptions): Promise<OpenView> {
  for (;;) {
    const generation = await readCurrent(lake);
    if (generation === undefined) {
      throw new LakeError("lake_empty", `Nothing has been installed into the lake at ${lake}`, {
        value: lake,
        remedy: "install slices: mirrorlake install <slices…> --lake <dir>",
      });
    }
    const lease = await takeLease(lake, generation);
    try {
      // An install that published another generation before it could see the lease may remove this one.
      if ((await readCurrent(lake)) !== generation) {
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
  let corpus: GenerationCorpus | undefined;
  try {
    corpus = await openGeneration(dir, threads === undefined ? {} : { threads });
    const index = await openIndex(join(dir, SEARCH_FOLDER), {
      ...(embedder === undefined ? {} : { embedder }),
      ...(exact === undefined ? {} : { exact }),
      live: corpus.live,
    });
    return new OpenView(generation, corpus, index, lease);
  } catch (error) {
    await corpus?.close();
    throw damaged(dir, error);
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
