import { SearchError } from "../contract/errors.js";
import { SEARCH_DEFAULTS } from "./defaults.js";
import type { Embedder } from "./embed/embedder.js";
import {
  embedderOf,
  GIVEN_VECTORS,
  type IndexManifest,
  isSetOf,
  readIndexManifest,
} from "./index-manifest.js";
import { type GraphWish, settledWish } from "./vector/graph/choose-graph.js";

/** How an index is extended. */
export interface Extension {
  /** Number of documents that it will have. */
  readonly documents: number;
  /** How many documents came since the local set was fitted, replaced ones included. */
  readonly brought: number;
}

/**
 * Why an index is to be built again from all documents, rather than extended: its vectors come from another embedder than the one given
 * (`index`), or the local set's fit no longer suffices (`fit`). Undefined where it can be extended.
 * @throws SearchError `index_unreadable`
 */
export async function whyNotBuildUpon(
  dir: string,
  extension: Extension,
  embedder?: Embedder,
): Promise<"index" | "fit" | undefined> {
  const manifest = await readIndexManifest(dir);
  if (!isSetOf(manifest, embedder)) return "index";
  return manifest.fit === undefined || suitsFit(manifest.fit, extension) ? undefined : "fit";
}

/** Whether an index has a local set, whose embedder was fitted to its documents. @throws SearchError `index_unreadable` */
export async function isFitted(dir: string): Promise<boolean> {
  return (await readIndexManifest(dir)).fit !== undefined;
}

/**
 * Whether an index is not what is asked for: whether an embedder is given that made none of its vectors, or other sets are to get graphs.
 * What is not given is not asked for. The vectors of an embedder that is fitted bear the fit's id, so that any set is taken for its own.
 * @throws SearchError `index_unreadable`
 */
export async function isOtherIndex(
  dir: string,
  { embedder, index, graphFrom }: GraphWish & { readonly embedder?: Embedder },
): Promise<boolean> {
  const asksGraphs = index !== undefined || graphFrom !== undefined;
  if (embedder === undefined && !asksGraphs) return false;
  const manifest = await readIndexManifest(dir);
  const fits = embedder?.fit !== undefined && embedderOf(manifest, GIVEN_VECTORS) !== undefined;
  if (embedder !== undefined && !fits && !isSetOf(manifest, embedder)) return true;
  if (!asksGraphs) return false;
  const [is, wished] = [settledWish(manifest.graphs ?? {}), settledWish({ index, graphFrom })];
  return is.index !== wished.index || is.graphFrom !== wished.graphFrom;
}

/** Whether an embedder that was fitted to documents suits others: whether few enough came since, and there are not too many. */
export function suitsFit(fit: { readonly documents: number }, { documents, brought }: Extension): boolean {
  return Math.max(documents, fit.documents + brought) <= fit.documents * SEARCH_DEFAULTS.embed.refitGrowth;
}

/**
 * Requires the embedder of an index's vectors: building without it would lose them, or mix vectors of two
 * models.
 * @throws SearchError `embedder_differs` if another embedder, one of other dimensions, or none, is given.
 */
export async function requireEmbedder(dir: string, embedder?: Embedder): Promise<void> {
  checkEmbedder(await readIndexManifest(dir), embedder);
}

/** Requires the embedder of an index whose manifest was read. @throws SearchError `embedder_differs` */
export function checkEmbedder(manifest: IndexManifest, embedder: Embedder | undefined): void {
  if (isSetOf(manifest, embedder)) return;
  const given = embedderOf(manifest, GIVEN_VECTORS);
  if (embedder !== undefined && given === embedder.id)
    throw new SearchError(
      "embedder_differs",
      `the index has vectors of ${given} with other dimensions than ${embedder.dims}`,
      {
        value: embedder.dims,
        remedy: `give the embedder ${given} that made them (--embedder, option embedder), or rebuild the index`,
      },
    );
  throw new SearchError(
    "embedder_differs",
    given === undefined
      ? "the index has no vectors of another embedder than its own"
      : `the index has vectors of ${given}`,
    {
      value: embedder?.id,
      remedy:
        given === undefined
          ? "rebuild the index"
          : `give the embedder ${given} (--embedder, option embedder), or rebuild the index`,
    },
  );
}
