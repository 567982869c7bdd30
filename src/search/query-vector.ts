import type { QueryTerm } from "./analysis/query-terms.js";
import { vectorOfQuery } from "./embed/ask-embedder.js";
import type { Embedder } from "./embed/embedder.js";
import type { ReflectiveEmbedder } from "./embed/reflective-embedder.js";
import { unitOf } from "./embed/unit-vector.js";
import type { QueryGroups } from "./keyword/ranking/query-groups.js";
import { contentTerms } from "./keyword/ranking/question-terms.js";
import { padded } from "./segment/append-vectors.js";

/** What embeds the queries of an index. */
export interface QueryEmbedders {
  /** The embedder of the set that is ranked by, if it is at hand. */
  readonly embedder?: Pick<Embedder, "id" | "dims" | "embedQuery"> | undefined;
  /** The same where it is the default one, fitted to the index: it knows words by their parts at most, and no others. */
  readonly fitted?: Pick<ReflectiveEmbedder, "embedTerms"> | undefined;
}

/** What its vector takes of a query's terms in an index. */
export type QueryWords = Pick<QueryGroups, "languages" | "alternatives">;

/** A query, and its terms. */
export interface AnalysedQuery {
  readonly query: string;
  readonly terms: readonly QueryTerm[];
  /** Its terms in the index; asked only if it has a question word of some language, or words with forms of several. */
  readonly words: () => QueryWords | Promise<QueryWords>;
}

/**
 * The vector of a query, 1536 numbers of unit length; undefined without an embedder, and where it knows no word of it. The default embedder's is that
 * of the terms that are no question words: these say nothing of what is asked for. A word is what it is in the languages that the query may
 * be in. Other embedders get the query as it is.
 * @throws SearchError `embedder_invalid`; what the embedder throws; the signal's reason
 */
export async function queryVector(
  { embedder, fitted }: QueryEmbedders,
  { query, terms, words }: AnalysedQuery,
  signal?: AbortSignal,
): Promise<Float32Array | undefined> {
  signal?.throwIfAborted();
  if (fitted !== undefined) {
    const mayAsk = terms.some(({ questionIn, forms }) => questionIn.length > 0 || forms !== undefined);
    if (!mayAsk) return fitted.embedTerms(terms);
    const { languages, alternatives } = await words();
    return fitted.embedTerms(contentTerms(terms, languages), alternatives);
  }
  const vector = embedder === undefined ? undefined : await vectorOfQuery(embedder, query, signal);
  return vector === undefined ? undefined : padded(unitOf(vector));
}
