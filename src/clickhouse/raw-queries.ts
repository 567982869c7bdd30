import type { RawItem } from "../contract/slice/slice-item.js";
import { monthNumber, monthStartMs } from "../contract/utc-calendar.js";
import type { AskedCaptures } from "../store/as-of.js";
import type { BucketUnit, RawBucket, RawFilter, RawPage, RawQuery } from "../store/corpus.js";
import { answerableFilter, RAW_ORDER_COLUMNS } from "../store/raw-filter.js";
import { foldText } from "../store/raw-words.js";
import { MICROS, scoreOf } from "../store/score-sums.js";
import type { Connection } from "./connection.js";
import type { Conditions } from "./query/conditions.js";
import { readPage } from "./query/counted-page.js";
import { placeKey } from "./query/redactions.js";
import { SqlParameters } from "./sql-text.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days from 1970-01-01, a Thursday, back to a Monday. */
const MONDAY_MS = 3 * DAY_MS;

/** Begin of the time unit of `created_ms`, in epoch milliseconds. Months are made of days here: the server's dates begin in 1900. */
const STARTS: Readonly<Record<Exclude<BucketUnit, "month">, string>> = {
  hour: `created_ms - positiveModulo(created_ms, ${HOUR_MS})`,
  day: `created_ms - positiveModulo(created_ms, ${DAY_MS})`,
  week: `created_ms - positiveModulo(created_ms + ${MONDAY_MS}, ${7 * DAY_MS})`,
};

const MICROS_SQL = `score * ${MICROS}`;
/** The score in whole millionths, rounded as `microsOf` does. */
const SCORE_MICROS = `toInt128(trunc(${MICROS_SQL}) + if(abs(${MICROS_SQL} - trunc(${MICROS_SQL})) >= 0.5, sign(${MICROS_SQL}), 0))`;

/** The columns of {@link ItemRow}. */
const ITEM = "item, load, ordinal";
type ItemRow = readonly [item: string, load: number, ordinal: number];

/** Raw items of a view, by SQL. */
export class RawQueries {
  constructor(
    private readonly connection: Connection,
    private readonly conditions: Conditions,
    /** Items that are shown otherwise, by their places. */
    private readonly redacted: ReadonlyMap<string, RawItem>,
  ) {}

  /** The live raw item of a key; undefined if there is none. */
  async find(platform: string, resource: string, id: string): Promise<RawItem | undefined> {
    const parameters = new SqlParameters();
    const where = this.where({ platform, resource, ids: [id] }, parameters);
    const [row] = await this.connection.rows<ItemRow>(
      `SELECT ${ITEM} FROM raw WHERE ${where} ORDER BY id LIMIT 1`,
      parameters.values,
    );
    return row === undefined ? undefined : this.itemOf(row);
  }

  /** The items of one page, in order, and the number of all matches. */
  async page(query: RawQuery): Promise<RawPage> {
    const direction = query.descending ? "DESC" : "ASC";
    const order = `${RAW_ORDER_COLUMNS[query.orderBy]} ${direction} NULLS LAST, id, resource`;
    const parameters = new SqlParameters();
    const from = `raw WHERE ${this.where(query, parameters)}`;
    const { offset, limit } = query;
    const page = { columns: ITEM, from, order, offset, limit };
    const { rows, total } = await readPage<ItemRow>(this.connection, page, parameters.values);
    return { items: rows.map((row) => this.itemOf(row)), total };
  }

  /** Matching items counted by time unit of `created_at`, in time order. */
  async buckets(filter: RawFilter, unit: BucketUnit): Promise<RawBucket[]> {
    const parameters = new SqlParameters();
    const where = this.where(filter, parameters);
    const rows = await this.connection.rows<[number, number, string]>(
      `SELECT ${STARTS[unit === "month" ? "day" : unit]} AS start, count(), toString(sum(${SCORE_MICROS}))
        FROM raw WHERE ${where} AND created_ms IS NOT NULL GROUP BY start ORDER BY start`,
      parameters.values,
    );
    const sums = new Map<number, { count: number; micros: bigint }>();
    for (const [time, count, micros] of rows) {
      const start = unit === "month" ? monthStartMs(monthNumber(time)) : time;
      const before = sums.get(start) ?? { count: 0, micros: 0n };
      sums.set(start, { count: before.count + count, micros: before.micros + BigInt(micros) });
    }
    return [...sums].map(([start, { count, micros }]) => ({
      start: new Date(start).toISOString(),
      count,
      score: scoreOf(micros),
    }));
  }

  /** When the live raw items were captured. */
  captures(): AskedCaptures {
    const { connection } = this;
    const from = `FROM raw WHERE ${this.conditions.live("raw")}`;
    return {
      until: async (limitMs) => {
        const [row] = await connection.rows<[number, number, number]>(
          `SELECT count(), countIf(captured_ms > {limit:Int64}), maxIf(captured_ms, captured_ms <= {limit:Int64}) ${from}`,
          { limit: limitMs },
        );
        const [count, later, newest] = row!;
        return { count, later, newest };
      },
      median: async () => {
        const [row] = await connection.rows<[number]>(`SELECT quantileExactLow(0.5)(captured_ms) ${from}`);
        return row![0];
      },
    };
  }

  private itemOf([item, load, ordinal]: ItemRow): RawItem {
    const redacted = this.redacted.get(placeKey(load, ordinal));
    return redacted === undefined ? (JSON.parse(item) as RawItem) : structuredClone(redacted);
  }

  private where(asked: RawFilter, parameters: SqlParameters): string {
    const filter = answerableFilter(asked);
    if (filter === undefined) return "0";
    const text = (value: string) => parameters.add("String", value);
    const number = (value: number) => parameters.add("Float64", value);
    const parts = [`platform = ${text(filter.platform)}`];
    if (filter.resource !== undefined) parts.push(`resource = ${text(filter.resource)}`);
    if (filter.ids !== undefined) parts.push(`id IN ${parameters.add("Array(String)", filter.ids)}`);
    if (filter.parent !== undefined) parts.push(`parent = ${text(filter.parent)}`);
    if (filter.replyTo === null) parts.push("reply_to IS NULL");
    else if (filter.replyTo !== undefined) parts.push(`reply_to = ${text(filter.replyTo)}`);
    if (filter.author !== undefined) parts.push(`author = ${text(filter.author)}`);
    if (filter.lang !== undefined) {
      const range = text(filter.lang.toLowerCase());
      parts.push(`(lower(lang) = ${range} OR startsWith(lower(lang), concat(${range}, '-')))`);
    }
    if (filter.text !== undefined) parts.push(`position(words, ${text(foldText(filter.text))}) > 0`);
    if (filter.createdFromMs !== undefined) parts.push(`created_ms >= ${number(filter.createdFromMs)}`);
    if (filter.createdToMs !== undefined) parts.push(`created_ms <= ${number(filter.createdToMs)}`);
    if (filter.capturedFromMs !== undefined) parts.push(`captured_ms >= ${number(filter.capturedFromMs)}`);
    if (filter.capturedToMs !== undefined) parts.push(`captured_ms <= ${number(filter.capturedToMs)}`);
    const { ids, parent, replyTo, author } = filter;
    const areFew = ids !== undefined || typeof (parent ?? replyTo ?? author) === "string";
    const matches = parts.join(" AND ");
    return areFew ? this.conditions.liveOf("raw", matches) : `${this.conditions.live("raw")} AND ${matches}`;
  }
}
