import { SEARCH_DEFAULTS } from "../../search/defaults.js";
import type { CandidateRows } from "../../search/document.js";
import { SQL_DEFAULTS } from "../../sql/defaults.js";
import type { SearchCall } from "../../sql/search-calls.js";
import type { RecordFilter } from "../../store/corpus.js";
import type { ClickHouseIndex } from "../clickhouse-index.js";
import { type Load, loadList } from "../committed-loads.js";
import type { Connection } from "../connection.js";
import type { Conditions } from "../query/conditions.js";
import type { Redactions } from "../query/redactions.js";
import type { RowPlaces } from "../query/row-places.js";
import { SqlParameters } from "../sql-text.js";
import { ofCountingSlices, rootList, supersededRoots } from "../superseded.js";
import { quoteClickHouse } from "./json-sql.js";
import { ITEM, LIST_FLAGS, RAW_VIEWS, recordColumns, SLICE_COLUMNS, selectSql } from "./view-columns.js";

/** Parts of {@link LakeTables}. */
export interface LakeTablesParts {
  readonly connection: Connection;
  readonly loads: readonly Load[];
  readonly places: RowPlaces;
  readonly conditions: Conditions;
  /** The items that are shown otherwise than they came. */
  readonly redactions: Redactions;
  readonly index: ClickHouseIndex;
}

/** What a search found. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly scores: readonly number[];
}

/** Names of further keys of `extra` that can be a column's; others are in `extra_other` alone. */
const COLUMN_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/**
 * The views of a lake's SQL over one state of the lake: what its loads brought, without what was replaced or removed. Each is a SELECT
 * over tables that are named with their database.
 */
export class LakeTables {
  private extra: Promise<readonly string[]> | undefined;

  constructor(private readonly parts: LakeTablesParts) {}

  /** Names of the views. */
  static readonly names: ReadonlySet<string> = new Set([
    "records",
    ...RAW_VIEWS.map(({ name }) => name),
    "vectors",
    "slices",
  ]);

  /** The SELECT of a view. @param wanted names that the columns which are asked for are among; all columns if undefined */
  async definition(name: string, wanted?: ReadonlySet<string>): Promise<string> {
    if (name === "records") {
      const [first, ...rest] = recordColumns(await this.extraKeys());
      // The server would analyse each of some fifty expressions, several times a query.
      const columns = [first!, ...rest.filter((column) => wanted?.has(column.name) !== false)];
      return selectSql(columns, this.items("records"));
    }
    if (name === "vectors") return this.vectors();
    if (name === "slices") return selectSql(SLICE_COLUMNS, this.manifests());
    const { resource, columns } = RAW_VIEWS.find((view) => view.name === name)!;
    return selectSql(columns, this.items("raw", `resource = '${resource}'`));
  }

  /** The records of some ordinals of a load that match a filter, in order, and with their vectors if wanted. */
  recordsPart(
    { load, first, last }: { readonly load: number; readonly first: number; readonly last: number },
    filter: RecordFilter,
    vectors: boolean,
  ): { readonly sql: string; readonly values: Readonly<Record<string, unknown>> } {
    const parameters = new SqlParameters();
    const { conditions } = this.parts;
    const part = `load = ${load} AND ordinal BETWEEN ${first} AND ${last}`;
    const where = `${part} AND ${conditions.matches(filter, parameters, this.database)}`;
    const plain = selectSql(
      [...recordColumns(), ...LIST_FLAGS, { name: "ordinal", sql: "ordinal" }],
      this.items("records", where),
    );
    const names = [...recordColumns(), ...LIST_FLAGS].map(({ name }) => name);
    if (!vectors)
      return {
        sql: `SELECT ${names.join(", ")} FROM (${plain}) ORDER BY ordinal`,
        values: parameters.values,
      };
    const table = (name: string) => `${this.database}.${name}`;
    const { made } = this.parts.index;
    return {
      sql: `SELECT ${names.map((name) => `r.${name} AS ${name}`).join(", ")},
          if(empty(g.numbers), ${this.localModel}, toString(g.model)) AS vector_model,
          if(empty(g.numbers), ${this.made("v")}, g.numbers) AS vec
        FROM (${plain}) AS r
        GLOBAL ANY LEFT JOIN (SELECT ordinal, ${this.madeColumns} FROM ${table(made.table)} WHERE ${made.of} AND ${part}) AS v ON v.ordinal = r.ordinal
        GLOBAL ANY LEFT JOIN (SELECT ordinal, model, numbers FROM ${table("given_vectors")} WHERE ${part}) AS g ON g.ordinal = r.ordinal
        ORDER BY r.ordinal`,
      values: parameters.values,
    };
  }

  /** Names of the columns of exported records. */
  static exportedColumns(vectors: boolean): string[] {
    return [...recordColumns().map(({ name }) => name), ...(vectors ? ["vector_model", "vec"] : [])];
  }

  /** Searches all records. */
  async find({ words, most }: SearchCall, live: CandidateRows, signal?: AbortSignal): Promise<FoundIds> {
    const { connection, conditions, places, index } = this.parts;
    const { rows, scores } = await index.rank(words, live, { limit: most, signal });
    if (rows.length === 0) return { ids: [], scores: [] };
    const parameters = new SqlParameters();
    const named = await connection.rows<[number, number, string]>(
      `SELECT load, ordinal, id FROM records WHERE ${conditions.named(rows, parameters)}`,
      parameters.values,
      signal,
    );
    const ids = new Map(named.map(([load, ordinal, id]) => [places.rowOf(load, ordinal), id]));
    return { ids: rows.map((row) => ids.get(row)!), scores };
  }

  private get database(): string {
    return this.parts.connection.database;
  }

  private get localModel(): string {
    return quoteClickHouse(this.parts.index.embedderId);
  }

  private get madeColumns(): string {
    return this.parts.index.made.table === "own_vectors" ? "numbers" : "bytes, scale";
  }

  /** The vector of a record that came without one. @param row of the table with these */
  private made(row: string): string {
    if (this.parts.index.made.table !== "own_vectors") return scaled(`${row}.bytes`, `${row}.scale`);
    return `arrayResize(${row}.numbers, ${SEARCH_DEFAULTS.dimensions}, toFloat32(0))`;
  }

  /** The items that are live, as they are shown. */
  private items(table: "records" | "raw", more = "1"): string {
    const { conditions, redactions } = this.parts;
    const json = table === "records" ? "record" : "item";
    const from = `${this.database}.${table}`;
    const where = `${conditions.live(table, this.database)} AND ${more}`;
    const redacts = table === "records" ? redactions.records : redactions.raw.size > 0;
    if (!redacts) return `(SELECT *, ${json} AS ${ITEM} FROM ${from} WHERE ${where})`;
    const shown = redactions.newest(table, "1", `${this.database}.redactions`);
    return `(SELECT stored.*, if(ifNull(redacted.text, '') = '', stored.${json}, ifNull(redacted.text, '')) AS ${ITEM}
      FROM (SELECT * FROM ${from} WHERE ${where}) AS stored
      GLOBAL ANY LEFT JOIN (${shown}) AS redacted ON redacted.at_load = stored.load AND redacted.at_ordinal = stored.ordinal)`;
  }

  private vectors(): string {
    const { conditions } = this.parts;
    const { table, of } = this.parts.index.made;
    const made = `${this.database}.${table}`;
    const given = `${this.database}.given_vectors`;
    const live = conditions.live("records", this.database);
    return `SELECT id, ${this.localModel} AS model, ${this.made("m")} AS vec FROM ${made} AS m
        WHERE ${of} AND ${live} AND (load, ordinal) GLOBAL NOT IN (SELECT load, ordinal FROM ${given} WHERE ${live})
      UNION ALL SELECT named.id AS id, toString(brought.model) AS model, brought.numbers AS vec
        FROM (SELECT load, ordinal, model, numbers FROM ${given} WHERE ${live}) AS brought
        GLOBAL ANY INNER JOIN (SELECT load, ordinal, id FROM ${made} WHERE ${of} AND ${live}) AS named
        ON named.load = brought.load AND named.ordinal = brought.ordinal`;
  }

  private manifests(): string {
    const { loads } = this.parts;
    const all = `SELECT DISTINCT arrayJoin(JSONExtractArrayRaw(slices)) AS m FROM ${this.database}.loads WHERE load IN (${loadList(loads)})`;
    const superseded = supersededRoots(loads);
    if (superseded.size === 0) return `(${all})`;
    return `(SELECT m FROM (${all}) WHERE JSONExtractString(m, 'mirrorlake', 'root') NOT IN (${rootList(superseded)}))`;
  }

  /** Keys of `extra` without a column of their own that occur often: they get one, as in a folder. */
  private extraKeys(): Promise<readonly string[]> {
    this.extra ??= this.readExtraKeys().catch((error: unknown) => {
      this.extra = undefined;
      throw error;
    });
    return this.extra;
  }

  private async readExtraKeys(): Promise<readonly string[]> {
    const { connection, places, loads } = this.parts;
    const { extraSample, extraShare, extraColumns } = SQL_DEFAULTS;
    const step = Math.max(1, Math.floor(places.count / extraSample));
    const rows = `${ofCountingSlices(loads)} AND sipHash64(load, ordinal) % ${step} = 0`;
    const found = await connection.rows<[string, number, number]>(
      `SELECT key, uniqExact(load, ordinal) AS n, (SELECT count() FROM records WHERE ${rows}) AS size
        FROM (SELECT load, ordinal, arrayJoin(JSONExtractKeys(record, 'extra')) AS key FROM records
          WHERE ${rows})
        GROUP BY key HAVING n >= ${extraShare} * size ORDER BY n DESC, key LIMIT ${extraColumns * 2}`,
    );
    const names = [...recordColumns().map(({ name }) => name), ...found.map(([key]) => `extra_${key}`)];
    const times = new Map<string, number>();
    for (const name of names) times.set(name.toLowerCase(), (times.get(name.toLowerCase()) ?? 0) + 1);
    // As in a folder, where names that differ by case alone are one.
    const keys = found
      .map(([key]) => key)
      .filter((key) => COLUMN_KEY.test(key) && times.get(`extra_${key}`.toLowerCase()) === 1);
    return keys.slice(0, extraColumns);
  }
}

/** The numbers of a stored vector: each byte × scale, in single precision. */
function scaled(bytes: string, scale: string): string {
  return `arrayMap(b -> toFloat32(toFloat64(b) * toFloat64(${scale})), ${bytes})`;
}
