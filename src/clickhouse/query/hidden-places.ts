import type { Load } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import { type HiddenOptions, hiddenRows } from "./hidden-rows.js";

/** Rows of one load whose ordinals follow each other. */
export interface HiddenRun {
  readonly load: number;
  readonly first: number;
  readonly last: number;
}

/**
 * What is hidden in a view of one kind. A revision hides its slices' rows, which lie together, and a removal some; a condition names those. The table
 * of what is hidden would be asked by each statement, and what it says sent to each shard.
 */
export class HiddenPlaces {
  private constructor(
    /** Number of hidden rows. */
    readonly count: number,
    /** Condition in SQL that a row with `load` and `ordinal` is none of them; undefined where they are too many, and too scattered, to be named. */
    readonly excluded: string | undefined,
  ) {}

  /** Those of places, by load and ordinal, each once. */
  static of(places: readonly (readonly [load: number, ordinal: number])[]): HiddenPlaces {
    const runs: HiddenRun[] = [];
    let last: { load: number; first: number; last: number } | undefined;
    for (const [load, ordinal] of places) {
      if (last?.load === load && last.last + 1 === ordinal) last.last = ordinal;
      else {
        last = { load, first: ordinal, last: ordinal };
        runs.push(last);
      }
      if (runs.length > MOST) break;
    }
    return new HiddenPlaces(places.length, excluding(runs));
  }

  /** Reads those of raw items. @param loads that brought slices @throws LakeError `cluster_*` */
  static async readRaw(
    connection: Connection,
    loads: readonly Load[],
    options: HiddenOptions,
  ): Promise<HiddenPlaces> {
    const hidden = `SELECT DISTINCT load, ordinal FROM (${hiddenRows("raw", loads, options)})`;
    const found = await connection.rows<[number, number, number]>(
      `SELECT load, min(ordinal) AS first, max(ordinal) FROM (
        SELECT load, ordinal, toInt64(ordinal) - row_number() OVER (PARTITION BY load ORDER BY ordinal) AS run FROM (${hidden})
      ) GROUP BY load, run ORDER BY load, first LIMIT ${MOST + 1}`,
    );
    const excluded = excluding(found.map(([load, first, last]) => ({ load, first, last })));
    if (excluded !== undefined)
      return new HiddenPlaces(
        found.reduce((sum, [, first, last]) => sum + last - first + 1, 0),
        excluded,
      );
    const [counted] = await connection.rows<[number]>(`SELECT count() FROM (${hidden})`);
    return new HiddenPlaces(counted![0], undefined);
  }
}

const { singles: SINGLES, ranges: RANGES } = CLICKHOUSE_DEFAULTS.hidden;
const MOST = SINGLES + RANGES;

/** SQL that a row is in none of some runs; undefined where they are too many. */
function excluding(runs: readonly HiddenRun[]): string | undefined {
  const isSingle = ({ first, last }: HiddenRun) => first === last;
  const singles = runs.filter(isSingle);
  if (singles.length > SINGLES || runs.length - singles.length > RANGES) return undefined;
  const loads = [...new Set(runs.map(({ load }) => load))];
  const conditions = loads.map((load) => {
    const of = runs.filter((run) => run.load === load);
    const alone = of.filter(isSingle).map(({ first }) => String(first));
    const parts = of
      .filter((run) => !isSingle(run))
      .map(({ first, last }) => `ordinal BETWEEN ${first} AND ${last}`);
    if (alone.length > 0) parts.push(`ordinal IN (${alone.join(", ")})`);
    return `NOT (load = ${load} AND (${parts.join(" OR ")}))`;
  });
  return conditions.join(" AND ") || "1";
}
