import type { QueryTerm } from "../analysis/query-terms.js";
import { SEARCH_DEFAULTS } from "../defaults.js";
import { GatherTable } from "../fit/gather-table.js";
import { ReflectiveSum } from "../fit/reflective-sum.js";
import type { Embedder } from "./embedder.js";
import { FeatureRows } from "./feature-rows.js";
import type { FeatureTable } from "./feature-table.js";
import { IndexVectors } from "./index-vector.js";
import { openModel } from "./open-model.js";
import { queryFeatures } from "./query-features.js";
import { type FeatureLookup, Vocabulary, weightInText } from "./vocabulary.js";

const { dimensions } = SEARCH_DEFAULTS;
/** Most features of one text; a query has far fewer. */
const MAX_FEATURES = 4096;

/**
 * The default embedder, fitted to a corpus, for queries. Feature vectors are read from the file on demand; those that were used last
 * stay in memory.
 */
export class ReflectiveEmbedder implements Embedder {
  readonly dims = dimensions;

  private constructor(
    readonly id: string,
    private readonly vocabulary: FeatureLookup,
    private readonly vectors: FeatureTable,
    private readonly rows: FeatureRows,
    private readonly index: IndexVectors,
    private readonly analyze: (text: string) => readonly QueryTerm[],
  ) {}

  /**
   * Opens the fit in a folder.
   * @throws SearchError `embedder_unreadable` if it is incomplete.
   */
  static async open(
    dir: string,
    analyze: (text: string) => readonly QueryTerm[],
  ): Promise<ReflectiveEmbedder> {
    const { id, vocabulary, vectors } = await openModel(dir);
    try {
      return await ReflectiveEmbedder.of(id, vocabulary, vectors, analyze);
    } catch (error) {
      vectors.close();
      throw error;
    }
  }

  /** Makes an embedder of a fit. @param analyze splits a query as documents were split */
  static async of(
    id: string,
    vocabulary: FeatureLookup,
    vectors: FeatureTable,
    analyze: (text: string) => readonly QueryTerm[],
  ): Promise<ReflectiveEmbedder> {
    // A text has no more features than the vocabulary, which is small in a small lake.
    const most = Math.max(1, Math.min(MAX_FEATURES, vocabulary.size));
    const table = await GatherTable.create({ dims: dimensions, rows: most, lists: 1, entries: most });
    const index = await IndexVectors.create(most);
    const rows = new FeatureRows(table, vectors, Math.min(SEARCH_DEFAULTS.embed.keptFeatures, most));
    return new ReflectiveEmbedder(id, vocabulary, vectors, rows, index, analyze);
  }

  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    return texts.map((text) => this.embed(text) ?? new Float32Array(dimensions));
  }

  async embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    signal?.throwIfAborted();
    return this.embed(text);
  }

  /** As {@link ReflectiveEmbedder.embedQuery}, of some terms of a query. @param alternatives as in {@link queryFeatures} */
  embedTerms(
    terms: readonly QueryTerm[],
    alternatives?: ReadonlyMap<QueryTerm, readonly number[]>,
  ): Float32Array | undefined {
    const counted = queryFeatures(terms, this.vocabulary, alternatives).slice(0, MAX_FEATURES);
    const own = Vocabulary.of(counted.map(({ known }) => known));
    const places = this.rows.of(own.vectors);
    const weights = Float32Array.from(counted, ({ known, count }) => weightInText(known, count));
    this.index.list(own.features);
    const sum = new ReflectiveSum(
      { features: own.features, scales: own.scales, table: this.rows.table, places },
      this.index,
    );
    sum.add({ rows: Uint32Array.from(counted.keys()), weights });
    const vector = sum.take().slice();
    return vector.some((value) => value !== 0) ? vector : undefined;
  }

  close(): void {
    this.vectors.close();
  }

  private embed(text: string): Float32Array | undefined {
    return this.embedTerms(this.analyze(text));
  }
}
