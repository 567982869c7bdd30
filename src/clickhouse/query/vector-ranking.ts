import type { QueryTerm } from "../../search/analysis/query-terms.js";
import type { CandidateRows } from "../../search/document.js";
import { wholeQuery } from "../../search/vector/scores/byte-scores.js";
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
  readonly hints: number;
}

/** A row with its id, which decides between equal scores. */
interface ScoredRow extends FoundRow {
  readonly id: Buffer;
}

/** How the nearest are found. */
export interface NearestUse {
  /** Scores every candidate. */
  readonly exact?: boolean | undefined;
  /** Finds rows with words of the query, as many as {@link VectorRanking.hintsFor} says; asked where the index is. */
  readonly hints?: () => Promise<readonly FoundRow[]>;
}

/** How the index is asked: for so many rows, of which so many at least have to pass the filter. */
interface Asked extends Pick<GraphUse, "fetched" | "breadth"> {
  readonly least: number;
}

const NO_HINTS = async (): Promise<readonly FoundRow[]> => [];
/** Most rows that the server takes of its index where it is not told otherwise. */
const LIMIT_SETTING = "max_limit_for_vector_search_queries";

/**
 * The candidates of largest inner product with a vector, best first, ties by id. Scores are sums of whole numbers, those of a lake on
 * disk to the last bit. Few candidates are all scored. Of many, the server's index finds the nearest, as far as a filter leaves enough
 * of them; these, and rows that have words of the query, are scored in the same way, so that only what is found can differ, not its
 * order. Queries of few words lie apart from what they ask for, where no link of a graph leads to them; rows with their words do not.
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

  /** How many rows with words of the query are wanted beside what the index finds: none where it is not asked. */
  hintsFor(limits: Omit<VectorLimits, "signal">, exact = false): number {
    return this.graph === undefined || this.asked(limits, exact) === undefined ? 0 : this.graph.hints;
  }

  async nearest(
    vector: Float32Array,
    limits: VectorLimits,
    { exact = false, hints = NO_HINTS }: NearestUse = {},
  ): Promise<readonly FoundRow[]> {
    const { candidates, limit } = limits;
    const asked = this.asked(limits, exact);
    if (asked === undefined) return this.score(vector, limits);
    const [found, hinted] = await Promise.all([
      this.score(vector, { ...limits, limit: asked.least }, asked),
      hints().then((rows) => this.scoreRows(vector, rows, limits)),
    ]);
    if (found.length < Math.min(asked.least, candidates.count)) return this.score(vector, limits);
    const known = new Set(found.map(({ row }) => row));
    return [...found, ...hinted.filter(({ row }) => !known.has(row))]
      .toSorted((a, b) => b.score - a.score || Buffer.compare(a.id, b.id))
      .slice(0, limit);
  }

  /** How the index is asked; undefined where every candidate is scored. */
  private asked(
    { candidates, limit, phrases }: Omit<VectorLimits, "signal">,
    exact: boolean,
  ): Asked | undefined {
    const { graph } = this;
    if (exact || graph === undefined || phrases.length > 0 || !this.conditions.areFiltered(candidates))
      return undefined;
    const share = candidates.count / Math.max(1, this.places.count);
    const wanted = Math.ceil(share === 1 ? limit : (limit * graph.spare) / share);
    const fetched = Math.max(graph.depth, wanted);
    if (candidates.count < graph.rows || fetched > graph.fetched) return undefined;
    // A filter that is at odds with the query leaves less of the nearest than its share, and those are the index's worst.
    const least = share === 1 ? limit : Math.max(limit, Math.ceil((share * fetched) / graph.spare));
    return { fetched, breadth: Math.max(graph.breadth, fetched), least };
  }

  /** Scores some rows exactly. */
  private async scoreRows(
    vector: Float32Array,
    rows: readonly FoundRow[],
    limits: VectorLimits,
  ): Promise<ScoredRow[]> {
    if (rows.length === 0) return [];
    const named = rows.map(({ row }) => row);
    return this.score(vector, { ...limits, limit: rows.length }, undefined, named);
  }

  /**
   * @param asked rows that the index is asked for, of which those of the filter are scored; everything is where it is undefined
   * @param named the only rows that are scored, if given
   */
  private async score(
    vector: Float32Array,
    { candidates, phrases, limit, signal }: VectorLimits,
    asked?: Asked,
    named?: readonly number[],
  ): Promise<ScoredRow[]> {
    const { values, unit } = wholeQuery(vector);
    const parameters = new SqlParameters();
    const query = parameters.add("Array(Int16)", [...values]);
    const { table, graph: near, of } = this.stored;
    const known = [
      of,
      this.conditions.among(candidates, parameters),
      ...phrases.map((phrase) => phraseCondition(phrase, this.conditions.live("records"), parameters)),
      ...(named === undefined ? [] : [this.conditions.named(named, parameters)]),
    ].join(" AND ");
    const from =
      asked === undefined
        ? `${table} WHERE ${known}`
        : `(SELECT load, ordinal, id, language, scale, bytes FROM ${near} WHERE ${known}
            ORDER BY cosineDistance(shape, CAST(${query} AS Array(Float32))) LIMIT ${asked.fetched})`;
    const rows = await this.connection.rows<[number, number, string, string, number]>(
      `SELECT load, ordinal, id, language, toFloat64(dotProduct(bytes, ${query})) * toFloat64(scale) * ${unit} AS score
        FROM ${from} ORDER BY score DESC, id LIMIT ${limit}${asked === undefined ? "" : settingsOf(asked)}`,
      parameters.values,
      signal,
    );
    return rows.map(([load, ordinal, id, language, score]) => ({
      row: this.places.rowOf(load, ordinal),
      id: Buffer.from(id),
      score,
      language,
    }));
  }
}

/** The index is asked first, for as many rows as the filter may take; what passes the filter is scored. */
function settingsOf({ breadth, fetched }: Asked): string {
  return ` SETTINGS vector_search_filter_strategy = 'postfilter', vector_search_index_fetch_multiplier = 1,
    hnsw_candidate_list_size_for_search = ${breadth}, ${LIMIT_SETTING} = ${fetched}`;
}
