import type { QueryTerm } from "../../search/analysis/query-terms.js";
import type { CandidateRows } from "../../search/document.js";
import { wholeQuery } from "../../search/vector/byte-scores.js";
import type { Connection } from "../connection.js";
import type { FittedVectors } from "../fit.js";
import { SqlParameters } from "../sql-text.js";
import type { Conditions } from "./conditions.js";
import type { FoundRow } from "./keyword-ranking.js";
import { phraseCondition } from "./phrase-condition.js";
import type { RowPlaces } from "./row-places.js";

/** What limits a ranking by vectors. */
export interface VectorLimits {
  readonly candidates: CandidateRows;
  readonly phrases: readonly (readonly QueryTerm[])[];
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** How the server's index of vectors is used: numbers of `CLICKHOUSE_DEFAULTS.graph`. */
export interface GraphUse {
  readonly rows: number;
  readonly depth: number;
  readonly fetched: number;
  readonly spare: number;
  readonly breadth: number;
}

/** Most rows that the server takes of its index where it is not told otherwise. */
const LIMIT_SETTING = "max_limit_for_vector_search_queries";

/**
 * The candidates of largest inner product with a vector, best first, ties by id. Scores are sums of whole numbers, those of a lake on
 * disk to the last bit. Few candidates are all scored. Of many, the server's index finds the nearest, as far as a filter leaves enough
 * of them; these are scored in the same way, so that only what is found can differ, not its order.
 */
export class VectorRanking {
  /**
   * @param stored where the vectors are
   * @param graph how the index is used; undefined where there is none, or every candidate is to be scored
   */
  constructor(
    private readonly connection: Connection,
    private readonly conditions: Conditions,
    private readonly places: RowPlaces,
    private readonly stored: FittedVectors,
    private readonly graph: GraphUse | undefined,
  ) {}

  async nearest(vector: Float32Array, limits: VectorLimits, exact = false): Promise<FoundRow[]> {
    const { candidates, limit, phrases } = limits;
    const share = candidates.count / Math.max(1, this.places.count);
    const { graph } = this;
    if (exact || graph === undefined || phrases.length > 0 || !this.conditions.areFiltered(candidates))
      return this.score(vector, limits);
    const wanted = Math.ceil(share === 1 ? limit : (limit * graph.spare) / share);
    const fetched = Math.max(graph.depth, wanted);
    if (candidates.count < graph.rows || fetched > graph.fetched) return this.score(vector, limits);
    // A filter that is at odds with the query leaves less of the nearest than its share, and those are the index's worst.
    const least = share === 1 ? limit : Math.max(limit, Math.ceil((share * fetched) / graph.spare));
    const found = await this.score(
      vector,
      { ...limits, limit: least },
      { fetched, breadth: Math.max(graph.breadth, fetched) },
    );
    return found.length < Math.min(least, candidates.count)
      ? this.score(vector, limits)
      : found.slice(0, limit);
  }

  /** @param graph rows that the index is asked for, of which those of the filter are scored; everything is where it is undefined */
  private async score(
    vector: Float32Array,
    { candidates, phrases, limit, signal }: VectorLimits,
    graph?: Pick<GraphUse, "fetched" | "breadth">,
  ): Promise<FoundRow[]> {
    const { values, unit } = wholeQuery(vector);
    const parameters = new SqlParameters();
    const query = parameters.add("Array(Int16)", [...values]);
    const { table, graph: near, of } = this.stored;
    const known = [
      of,
      this.conditions.among(candidates, parameters),
      ...phrases.map((phrase) => phraseCondition(phrase, this.conditions.live("records"), parameters)),
    ].join(" AND ");
    const from =
      graph === undefined
        ? `${table} WHERE ${known}`
        : `(SELECT load, ordinal, id, language, scale, bytes FROM ${near} WHERE ${known}
            ORDER BY cosineDistance(shape, CAST(${query} AS Array(Float32))) LIMIT ${graph.fetched})`;
    const rows = await this.connection.rows<[number, number, string, number]>(
      `SELECT load, ordinal, language, toFloat64(dotProduct(bytes, ${query})) * toFloat64(scale) * ${unit} AS score
        FROM ${from} ORDER BY score DESC, id LIMIT ${limit}${graph === undefined ? "" : settingsOf(graph)}`,
      parameters.values,
      signal,
    );
    return rows.map(([load, ordinal, language, score]) => ({
      row: this.places.rowOf(load, ordinal),
      score,
      language,
    }));
  }
}

/** The index is asked first, for as many rows as the filter may take; what passes the filter is scored. */
function settingsOf({ breadth, fetched }: Pick<GraphUse, "fetched" | "breadth">): string {
  return ` SETTINGS vector_search_filter_strategy = 'postfilter', vector_search_index_fetch_multiplier = 1,
    hnsw_candidate_list_size_for_search = ${breadth}, ${LIMIT_SETTING} = ${fetched}`;
}
