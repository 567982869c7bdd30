import type { CandidateRows } from "../../search/document.js";
import { languageMatches } from "../../slice/language-range.js";
import type { RecordFilter } from "../../store/corpus.js";
import type { ColumnValues } from "../../store/filter-columns.js";
import { type Load, loadList } from "../committed-loads.js";
import { CLICKHOUSE_DEFAULTS } from "../defaults.js";
import type { SqlParameters } from "../sql-text.js";
import { countingLoads } from "../superseded.js";
import { clusterUnsupported } from "../unsupported.js";
import type { HiddenPlaces } from "./hidden-places.js";
import { type HiddenOptions, hiddenRows } from "./hidden-rows.js";
import type { RowPlaces } from "./row-places.js";

/** What conditions on the rows of some loads have in common, whatever was removed of them. */
export interface ConditionsBase {
  /** Those that brought slices, superseded ones as well. */
  readonly loads: readonly Load[];
  readonly places: RowPlaces;
  readonly columns: Pick<ColumnValues, "platforms" | "langs">;
  /** The filter of each set of rows that `match` made: the server filters by it, not by a list of rows. */
  readonly filters: WeakMap<CandidateRows, RecordFilter>;
}

/** Conditions in SQL on the rows of a view. */
export class Conditions {
  private readonly known = new Map<string, string>();

  /** @param hides what is hidden, of each kind */
  constructor(
    private readonly base: ConditionsBase,
    private readonly removing: readonly Pick<Load, "id">[],
    private readonly hides: { readonly records: HiddenPlaces; readonly raw: HiddenPlaces },
  ) {}

  private get places(): RowPlaces {
    return this.base.places;
  }

  /** Notes by which filter a set of rows was made. */
  note(rows: CandidateRows, filter: RecordFilter): void {
    this.base.filters.set(rows, filter);
  }

  /** Whether rows are told by a filter, or all of them, rather than one by one. */
  areFiltered(rows: CandidateRows): boolean {
    return this.base.filters.has(rows) || rows.count === rows.size;
  }

  /** That a row of a table is of the view, neither replaced nor removed. @param database of the tables, where it is not the connection's */
  live(kind: "records" | "raw", database?: string): string {
    const from = database === undefined ? "hidden" : `${database}.hidden`;
    const key = `${kind} ${from}`;
    const condition = this.known.get(key) ?? this.liveIn(kind, from);
    this.known.set(key, condition);
    return condition;
  }

  /**
   * That a row is one of the few of the view that keys name. Where much is hidden, and scattered, only what is hidden of these is read, by its
   * place: all of it would be read, gathered and sent to every shard for one row.
   * @param named SQL of the keys
   */
  liveOf(kind: "records" | "raw", named: string): string {
    const { count, excluded } = this.hides[kind];
    if (excluded !== undefined || count <= CLICKHOUSE_DEFAULTS.hidden.gathered)
      return `${this.live(kind)} AND ${named}`;
    const some = `${this.counting} AND ${named}`;
    const more = `(load, ordinal) GLOBAL IN (SELECT load, ordinal FROM ${kind} WHERE ${some})`;
    return `${some} AND ${this.notHidden(kind, { more })}`;
  }

  private liveIn(kind: "records" | "raw", from: string): string {
    const { count, excluded } = this.hides[kind];
    if (count === 0) return this.counting;
    return `${this.counting} AND ${excluded ?? this.notHidden(kind, { from })}`;
  }

  private get counting(): string {
    return `load IN (${loadList(countingLoads(this.base.loads))})`;
  }

  private notHidden(kind: "records" | "raw", options: Omit<HiddenOptions, "removing">): string {
    const hidden = hiddenRows(kind, this.base.loads, { removing: this.removing, ...options });
    return `(load, ordinal) GLOBAL NOT IN (${hidden})`;
  }

  /** That a row of a table with the columns of filters matches. */
  matches(
    { domains, platforms, langs, fromMs, toMs }: RecordFilter,
    parameters: SqlParameters,
    database?: string,
  ): string {
    const parts = [this.live("records", database)];
    const among = (column: string, values: readonly string[]) =>
      parts.push(`${column} IN ${parameters.add("Array(String)", values)}`);
    if (domains !== undefined) among("src", domains);
    if (platforms !== undefined) among("platform", platforms);
    if (langs !== undefined)
      among(
        "lang",
        this.base.columns.langs.filter((tag) => langs.some((range) => languageMatches(range, tag))),
      );
    if (fromMs !== undefined) parts.push(`captured_ms >= ${parameters.add("Float64", fromMs)}`);
    if (toMs !== undefined) parts.push(`captured_ms <= ${parameters.add("Float64", toMs)}`);
    return parts.join(" AND ");
  }

  /**
   * That a row of a table with the columns of filters is among candidates.
   * @throws LakeError `cluster_unsupported` for a set of many rows that no filter made
   */
  among(candidates: CandidateRows, parameters: SqlParameters): string {
    const filter = this.base.filters.get(candidates);
    if (filter !== undefined) return this.matches(filter, parameters);
    if (candidates.count === candidates.size) return this.live("records");
    if (candidates.count > CLICKHOUSE_DEFAULTS.namedRows)
      throw clusterUnsupported(
        `Ranking ${candidates.count} candidates of one's own`,
        candidates.count,
        `Make the candidates with corpus.match(), or give at most ${CLICKHOUSE_DEFAULTS.namedRows}.`,
      );
    return `${this.live("records")} AND ${this.named([...candidates.rows()], parameters)}`;
  }

  /** That a row of a table is one of these. */
  named(rows: readonly number[], parameters: SqlParameters): string {
    const places = rows.map((row) => this.places.placeOf(row));
    const loads = parameters.add("Array(UInt64)", [...new Set(places.map(({ load }) => load))]);
    const ordinals = parameters.add(
      "Array(UInt32)",
      places.map(({ ordinal }) => ordinal),
    );
    // The first two find the parts and their granules by the tables' keys.
    const pairs = places.map(({ load, ordinal }) => `${load}/${ordinal}`);
    return `load IN ${loads} AND ordinal IN ${ordinals}
      AND concat(toString(load), '/', toString(ordinal)) IN ${parameters.add("Array(String)", pairs)}`;
  }
}
