import type { QueryTerm } from "../../search/analysis/query-terms.js";
import type { CandidateRows } from "../../search/document.js";
import { wholeQuery } from "../../search/vector/byte-scores.js";
import type { Connection } from "../connection.js";
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

/**
 * The candidates of largest inner product with a vector, best first, ties by id. Every candidate is scored, by whole numbers: the
 * scores are those of a lake on disk to the last bit.
 */
export class VectorRanking {
  constructor(
    private readonly connection: Connection,
    private readonly conditions: Conditions,
    private readonly places: RowPlaces,
  ) {}

  async nearest(
    vector: Float32Array,
    { candidates, phrases, limit, signal }: VectorLimits,
  ): Promise<FoundRow[]> {
    const { values, unit } = wholeQuery(vector);
    const parameters = new SqlParameters();
    const query = parameters.add("Array(Int16)", [...values]);
    const known = [
      this.conditions.among(candidates, parameters),
      ...phrases.map((phrase) => phraseCondition(phrase, this.conditions.live("records"), parameters)),
    ];
    const rows = await this.connection.rows<[number, number, string, number]>(
      `SELECT load, ordinal, language, toFloat64(dotProduct(bytes, ${query})) * toFloat64(scale) * ${unit} AS score
        FROM vectors WHERE ${known.join(" AND ")} ORDER BY score DESC, id LIMIT ${limit}`,
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
