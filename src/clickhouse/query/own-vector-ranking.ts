import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import { FloatScores } from "../../search/vector/scores/float-scores.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { RowBinaryReader } from "../row-binary-reader.js";
import { SqlParameters } from "../sql-text.js";
import type { Conditions } from "./conditions.js";
import type { FoundRow } from "./keyword-ranking.js";
import { phraseCondition } from "./phrase-condition.js";
import type { RowPlaces } from "./row-places.js";
import type { VectorLimits } from "./vector-ranking.js";

const WIDTH = SEARCH_DEFAULTS.dimensions * Float32Array.BYTES_PER_ELEMENT;
/** Digits that tell a 32-bit float from every other one. */
const DIGITS = 9;

/** A row as the server found it. */
interface Candidate {
  readonly row: number;
  readonly id: Buffer;
  readonly language: string;
  /** The inner product in double precision, summed in an order of the server's own. */
  readonly rough: number;
  /** The bytes of the numbers. */
  readonly numbers: Buffer;
}

/**
 * The candidates of largest inner product with a vector among those of an embedder of the user's own, best first, ties by id. The
 * server scores every candidate in double precision; those that may be among the best are scored again here, in the order of
 * additions of a lake on disk, so that scores and order are the same to the last bit. Where more than `CLICKHOUSE_DEFAULTS.own.most`
 * rows score alike, those of them count that come first by id.
 */
export class OwnVectorRanking {
  constructor(
    private readonly connection: Connection,
    private readonly conditions: Conditions,
    private readonly places: RowPlaces,
    private readonly dims: number,
  ) {}

  /** None: every candidate is scored. */
  hintsFor(): number {
    return 0;
  }

  async nearest(vector: Float32Array, limits: VectorLimits): Promise<readonly FoundRow[]> {
    const { limit } = limits;
    const { spare, most, error } = CLICKHOUSE_DEFAULTS.own;
    for (let asked = limit + spare; ; asked = Math.min(asked * 4, most)) {
      const found = await this.candidates(vector, limits, asked);
      const [best, last] = [found[0]?.rough ?? 0, found[limit - 1]?.rough ?? Number.NEGATIVE_INFINITY];
      const least = last - error * Math.max(1, Math.abs(best));
      const isWhole = found.length < asked || found.at(-1)!.rough < least || asked >= Math.max(most, limit);
      if (isWhole)
        return this.scored(
          vector,
          found.filter(({ rough }) => rough >= least),
          limit,
        );
    }
  }

  private async candidates(
    vector: Float32Array,
    { candidates, phrases, signal }: VectorLimits,
    asked: number,
  ): Promise<Candidate[]> {
    const parameters = new SqlParameters();
    const query = parameters.add(
      "Array(Float32)",
      Array.from(vector.subarray(0, this.dims), (number) => Number(number.toPrecision(DIGITS))),
    );
    const known = [
      this.conditions.among(candidates, parameters),
      ...phrases.map((phrase) => phraseCondition(phrase, this.conditions.live("records"), parameters)),
    ].join(" AND ");
    const bytes = await this.connection.bytes(
      `SELECT load, ordinal, id, toString(language),
          dotProduct(CAST(numbers AS Array(Float64)), CAST(${query} AS Array(Float64))) AS score, numbers
        FROM own_vectors WHERE ${known} ORDER BY score DESC, id LIMIT ${asked}`,
      parameters.values,
      signal,
    );
    const reader = new RowBinaryReader(bytes);
    const found: Candidate[] = [];
    while (!reader.done)
      found.push({
        row: this.places.rowOf(reader.uint64(), reader.uint32()),
        id: reader.text(),
        language: reader.text().toString(),
        rough: reader.float64(),
        numbers: reader.array(Float32Array.BYTES_PER_ELEMENT),
      });
    return found;
  }

  private async scored(
    vector: Float32Array,
    found: readonly Candidate[],
    limit: number,
  ): Promise<FoundRow[]> {
    const scores = await FloatScores.create({
      width: SEARCH_DEFAULTS.dimensions,
      readAhead: async () => {},
      readInto: (first, count, into, at) => {
        into.fill(0, at, at + count * WIDTH);
        for (let i = 0; i < count; i += 1) into.set(found[first + i]!.numbers, at + i * WIDTH);
      },
    });
    const best: (Candidate & FoundRow)[] = [];
    scores.score(
      vector,
      Uint32Array.from(found, (_, i) => i),
      (i, score) => best.push({ ...found[i]!, score }),
    );
    return best
      .sort((a, b) => b.score - a.score || Buffer.compare(a.id, b.id))
      .slice(0, limit)
      .map(({ row, score, language, id }) => ({ row, score, language, id }));
  }
}
