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
import { SegmentedIndex } from "./segmented-index.js";

/** Options of {@link openIndex}. */
export interface OpenOptions {
  /**
   * Ranks if the index has vectors of an embedder with its id and dimensions; otherwise the index's default embedder ranks.
   */
  readonly embedder?: Embedder;
  /** Ranks by exact scores only, without approximate candidates. */
  readonly exact?: boolean;
  /** Loads the live rows, which count in statistics; called after everything else is open. */
  readonly live?: () => Promise<CandidateRows>;
  /** The rows that are live where nothing is removed: queries are read in their languages. Default: all rows. */
  readonly shown?: () => Promise<CandidateRows>;
}

/**
 * Opens the search index in a folder, read-only.
 * @throws SearchError if it cannot be read.
 */
export async function openIndex(dir: string, options: OpenOptions = {}): Promise<SearchIndex> {
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
    const live = await options.live?.();
    languages.push(...languagesAmong(opened.segments, await options.shown?.(), await spoken));
    const embedder = ranking === GIVEN_VECTORS ? options.embedder : own;
    // Loaded beside the rest of the opening, and for the first query only waited for.
    const stemming = stemmers.load(languages);
    stemming.catch(() => undefined);
    return new SegmentedIndex(manifest.documentCount, opened, {
      stemming,
      embedder,
      closeEmbedder: own === undefined ? undefined : () => own.close(),
      fitted: own,
      madeBy: manifest.vectorSets[0]!.embedder,
      absent: ranking === manifest.vectorSets[0]!.name ? undefined : makerOf(manifest, options.embedder),
      analyze,
      exact: options.exact ?? false,
      queue,
      live,
    });
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
