import { join } from "node:path";
import { rememberLast } from "./analysis/last-query.js";
import { queryTerms } from "./analysis/query-terms.js";
import { Stemmers } from "./analysis/stemming.js";
import type { CandidateRows } from "./document.js";
import type { Embedder } from "./embed/embedder.js";
import { ReflectiveEmbedder } from "./embed/reflective-embedder.js";
import { EventLoopQueue } from "./event-loop-queue.js";
import {
  EMBEDDER,
  GIVEN_VECTORS,
  type IndexManifest,
  isSetOf,
  KEYWORD,
  LOCAL_VECTORS,
  readIndexManifest,
  type VectorSetName,
} from "./index-manifest.js";
import { readLanguages } from "./keyword/keyword-manifest.js";
import type { SearchIndex } from "./search-index.js";
import { type OpenSegments, openSegments } from "./segment/open-segments.js";
import { SegmentedIndex, type SegmentedIndexOptions } from "./segmented-index.js";

/** Options of {@link openIndex}. */
export interface OpenOptions {
  /**
   * Ranks if the index has vectors of an embedder with its id and dimensions; otherwise the index's default embedder ranks.
   */
  readonly embedder?: Embedder;
  /** Ranks by exact scores only, without approximate candidates. */
  readonly exact?: boolean;
  /** Loads the live rows, which count in statistics; called after everything else is open. Default: all rows. */
  readonly live?: () => Promise<CandidateRows>;
  /** The rows that are live where nothing is removed: queries are read in their languages. Default: all rows. */
  readonly shown?: () => Promise<CandidateRows>;
}

/** The open files of an index. Several indexes may search them, each with statistics of its own live rows. */
export class IndexFiles {
  private users = 0;

  private constructor(
    private readonly documentCount: number,
    private readonly opened: OpenSegments,
    private readonly own: ReflectiveEmbedder | undefined,
    private readonly options: Omit<SegmentedIndexOptions, "live">,
  ) {}

  /**
   * Opens the files of the index in a folder, read-only.
   * @throws SearchError if it cannot be read.
   */
  static async open(dir: string, options: Omit<OpenOptions, "live"> = {}): Promise<IndexFiles> {
    const { documentCount, opened, own, parts } = await openParts(dir, options);
    return new IndexFiles(documentCount, opened, own, parts);
  }

  /** An index over these files, which are closed with the last one. @param live the rows that count in its statistics; default: all */
  index(live?: CandidateRows): SearchIndex {
    this.users += 1;
    const opened = { ...this.opened, close: () => this.release() };
    return new SegmentedIndex(this.documentCount, opened, { ...this.options, live });
  }

  /** Closes the files; only where no index over them was made. */
  async close(): Promise<void> {
    this.own?.close();
    await this.opened.close();
  }

  private async release(): Promise<void> {
    this.users -= 1;
    if (this.users === 0) await this.close();
  }
}

/**
 * Opens the search index in a folder, read-only.
 * @throws SearchError if it cannot be read; what `live` throws.
 */
export async function openIndex(dir: string, options: OpenOptions = {}): Promise<SearchIndex> {
  const files = await IndexFiles.open(dir, options);
  try {
    return files.index(await options.live?.());
  } catch (error) {
    await files.close();
    throw error;
  }
}

async function openParts(dir: string, options: Omit<OpenOptions, "live">) {
  const manifest = await readIndexManifest(dir);
  const ranking = rankingSet(manifest, options.embedder);
  const queue = new EventLoopQueue();
  const stemmers = new Stemmers();
  const languages: string[] = [];
  const analyze = rememberLast((query) => queryTerms(query, languages, stemmers));
  const closing: (() => Promise<void> | void)[] = [];
  const segments = openSegments(dir, manifest, ranking, queue).then((opened) => {
    closing.push(() => opened.close());
    return opened;
  });
  const fitted =
    ranking === LOCAL_VECTORS
      ? ReflectiveEmbedder.open(join(dir, EMBEDDER), (text) => analyze(text).terms).then((opened) => {
          closing.push(() => opened.close());
          return opened;
        })
      : undefined;
  const spoken = readLanguages(manifest.segments.map(({ name }) => join(dir, name, KEYWORD)));
  try {
    await Promise.allSettled([segments, fitted, spoken]);
    const [opened, own] = [await segments, await fitted];
    languages.push(...languagesAmong(opened.segments, await options.shown?.(), await spoken));
    const embedder = ranking === GIVEN_VECTORS ? options.embedder : own;
    // Loaded beside the rest of the opening, and for the first query only waited for.
    const stemming = stemmers.load(languages);
    stemming.catch(() => undefined);
    const parts = {
      stemming,
      embedder,
      fitted: own,
      madeBy: manifest.vectorSets[0]!.embedder,
      absent: ranking === manifest.vectorSets[0]!.name ? undefined : makerOf(manifest, options.embedder),
      analyze,
      exact: options.exact ?? false,
      queue,
    };
    return { documentCount: manifest.documentCount, opened, own, parts };
  } catch (error) {
    for (const close of closing.reverse()) await close();
    throw error;
  }
}

/** Those of an index's languages in which some of its rows are. */
function languagesAmong(
  segments: OpenSegments["segments"],
  rows: CandidateRows | undefined,
  languages: readonly string[],
): readonly string[] {
  if (rows === undefined || rows.count === rows.size) return languages;
  const found = new Set<string>();
  for (const { first, keyword } of segments) {
    const numbers = new Set<number>();
    keyword.languages.forEach((number, row) => {
      if (!numbers.has(number) && rows.has(first + row)) numbers.add(number);
    });
    for (const number of numbers) found.add(keyword.manifest.languages[number]!.language);
  }
  return languages.filter((language) => found.has(language));
}

/** Names the embedder that made the preferred set, apart from one at hand that has its id. */
function makerOf({ vectorSets }: IndexManifest, embedder: Embedder | undefined): string {
  const { embedder: id, dims } = vectorSets[0]!;
  return embedder?.id === id ? `${id} of ${dims} dimensions` : id;
}

/** The vector set whose embedder is available. */
function rankingSet(manifest: IndexManifest, embedder: Embedder | undefined): VectorSetName | undefined {
  if (embedder !== undefined && isSetOf(manifest, embedder)) return GIVEN_VECTORS;
  return manifest.fit === undefined ? undefined : LOCAL_VECTORS;
}
