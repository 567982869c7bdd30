import { type QueryTerms, queryTerms } from "../search/analysis/query-terms.js";
import { Stemmers } from "../search/analysis/stemming.js";
import type { CandidateRows } from "../search/document.js";
import { ReflectiveEmbedder } from "../search/embed/reflective-embedder.js";
import type { RecordFilter } from "../store/corpus.js";
import type { ColumnValues } from "../store/filter-columns.js";
import type { Load } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { FetchedModel } from "./fetched-model.js";
import { type Fit, readFit } from "./fit.js";
import { type OwnSet, readOwnSet } from "./own-set.js";
import { readRecordColumns } from "./query/record-columns.js";
import { RowPlaces } from "./query/row-places.js";
import { countingLoads } from "./superseded.js";

/** What a process keeps of some loads, whatever is removed of them: views of several states of the removals share it. */
export class LoadedRows {
  readonly filters = new WeakMap<CandidateRows, RecordFilter>();
  private users = 1;

  private constructor(
    readonly loads: readonly Load[],
    /** Those of the loads that have rows of the view: the slices of others are all superseded. */
    readonly counting: readonly Load[],
    /** The fit that counts in them. */
    readonly fit: Fit,
    readonly places: RowPlaces,
    readonly columns: ColumnValues,
    readonly analyze: (query: string) => QueryTerms,
    readonly embedder: ReflectiveEmbedder,
    /** The set of an embedder of the user's own, if the lake has one. */
    readonly own: OwnSet | undefined,
    private readonly model: FetchedModel,
  ) {}

  /**
   * Reads what filters ask, and fetches the fitted embedder.
   * @param loads complete ones with slices, at least one
   * @param before what is held of the lake as it was, whose embedder is not fetched again if it still counts
   * @throws LakeError `cluster_*`
   */
  static async open(
    connection: Connection,
    loads: readonly Load[],
    before?: LoadedRows,
  ): Promise<LoadedRows> {
    const fit = await readFit(connection, loads);
    const model =
      before?.model.opened.id === fit.model
        ? before.model.hold()
        : await FetchedModel.fetch(connection, fit.model);
    try {
      const counting = countingLoads(loads);
      const places = new RowPlaces(counting);
      const { columns, languages: known } = await readRecordColumns(connection, loads, counting, places);
      const stemmers = new Stemmers();
      await stemmers.load(known);
      const analyze = (query: string) => queryTerms(query, known, stemmers);
      const { id, vocabulary, vectors } = model.opened;
      const terms = (text: string) => analyze(text).terms;
      const embedder = await ReflectiveEmbedder.of(id, vocabulary, vectors, terms);
      const own = await readOwnSet(connection, loads);
      return new LoadedRows(loads, counting, fit, places, columns, analyze, embedder, own, model);
    } catch (error) {
      await model.release();
      throw error;
    }
  }

  /** Adds a holder; pair with {@link LoadedRows.release}. */
  hold(): this {
    this.users += 1;
    return this;
  }

  /** Removes a holder; the last one gives up the embedder. */
  async release(): Promise<void> {
    this.users -= 1;
    if (this.users === 0) await this.model.release();
  }
}
