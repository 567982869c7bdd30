import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder } from "../files/temporary-folder.js";
import { type QueryTerms, queryTerms } from "../search/analysis/query-terms.js";
import { Stemmers } from "../search/analysis/stemming.js";
import type { CandidateRows } from "../search/document.js";
import { ReflectiveEmbedder } from "../search/embed/reflective-embedder.js";
import type { RecordFilter } from "../store/corpus.js";
import type { ColumnValues } from "../store/filter-columns.js";
import type { Load } from "./committed-loads.js";
import type { Connection } from "./connection.js";
import { type Fit, readFit } from "./fit.js";
import { fetchModel } from "./model-store.js";
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
    private readonly removeFolder: () => Promise<void>,
  ) {}

  /**
   * Reads what filters ask, and fetches the fitted embedder to a temporary folder.
   * @param loads complete ones with slices, at least one
   * @throws LakeError `cluster_*`
   */
  static async open(connection: Connection, loads: readonly Load[]): Promise<LoadedRows> {
    const folder = await makeTemporaryFolder(tmpdir(), "mirrorlake-model-");
    const removeFolder = () => folder.remove();
    try {
      const dir = join(folder.path, "model");
      const fit = await readFit(connection, loads);
      await fetchModel(connection, fit.model, dir);
      const counting = countingLoads(loads);
      const places = new RowPlaces(counting);
      const { columns, languages: known } = await readRecordColumns(connection, loads, counting, places);
      const stemmers = new Stemmers();
      await stemmers.load(known);
      const analyze = (query: string) => queryTerms(query, known, stemmers);
      const embedder = await ReflectiveEmbedder.open(dir, (text) => analyze(text).terms);
      const own = await readOwnSet(connection, loads);
      return new LoadedRows(loads, counting, fit, places, columns, analyze, embedder, own, removeFolder);
    } catch (error) {
      await removeFolder();
      throw error;
    }
  }

  /** Adds a holder; pair with {@link LoadedRows.release}. */
  hold(): this {
    this.users += 1;
    return this;
  }

  /** Removes a holder; the last one closes the embedder and removes its folder. */
  async release(): Promise<void> {
    this.users -= 1;
    if (this.users !== 0) return;
    this.embedder.close();
    await this.removeFolder();
  }
}
