import type { RawItem } from "../../contract/slice/slice-item.js";
import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";

/** The key of a row of a view among others. */
export function placeKey(load: number, ordinal: number): string {
  return `${load}/${ordinal}`;
}

/**
 * Items of a view that are shown otherwise than they came: without quotes of what was removed, or with the changes of prices that the
 * price points of all loads give.
 */
export class Redactions {
  private constructor(
    /** Condition in SQL on the rows of the table that count. */
    private readonly counting: string,
    private readonly order: string,
    /** Whether any records are. */
    readonly records: boolean,
    /** Raw items that are, by their places. */
    readonly raw: ReadonlyMap<string, RawItem>,
  ) {}

  /**
   * Reads what some loads, and removals, show otherwise.
   * @param loads those of the view that brought slices
   * @param version of the tables
   */
  static async read(
    connection: Connection,
    loads: readonly Load[],
    removing: readonly Load[],
    version: number,
  ): Promise<Redactions> {
    // Who wrote before version 7 had greater numbers than what was visible.
    const order = version < CLICKHOUSE_DEFAULTS.pricesVersion ? "by" : "turn";
    const counting = `by IN (${loadList([...loads, ...removing])}) AND load IN (${loadList(loads)})`;
    const [[records], raw] = await Promise.all([
      connection.rows<[number]>(
        `SELECT count() FROM (SELECT 1 FROM redactions WHERE kind = 'records' AND ${counting} LIMIT 1)`,
      ),
      connection.rows<[number, number, string]>(
        `SELECT load, ordinal, argMax(item, ${order}) FROM redactions WHERE kind = 'raw' AND ${counting} GROUP BY load, ordinal`,
      ),
    ]);
    const items = raw.map(
      ([load, ordinal, item]) => [placeKey(load, ordinal), JSON.parse(item) as RawItem] as const,
    );
    return new Redactions(counting, order, records![0] > 0, new Map(items));
  }

  /**
   * SQL of the newest of these items: `at_load`, `at_ordinal`, `text`, and of records whether their change of price is another, `priced`, and
   * what it is, `drop`.
   * @param more a further condition on load and ordinal
   * @param from the table, with its database where it is not the connection's
   */
  newest(kind: "records" | "raw", more = "1", from = "redactions"): string {
    return `SELECT load AS at_load, ordinal AS at_ordinal, item AS text, priced, drop FROM ${from}
      WHERE kind = '${kind}' AND ${this.counting} AND ${more} ORDER BY ${this.order} DESC LIMIT 1 BY load, ordinal`;
  }
}
