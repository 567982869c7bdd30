import { SqlError } from "../contract/errors.js";
import { LIMITS } from "../contract/service/limits.js";
import { hasCharacters } from "../contract/service/shared-params.js";
import { shown } from "../contract/shown-value.js";
import type { SqlParams } from "../duckdb/database.js";
import { SQL_DEFAULTS } from "./defaults.js";

/** A search in FROM: `search('words')`, `search('words', 50)`. */
export interface SearchCall {
  readonly words: string;
  /** Largest number of records. */
  readonly most: number;
}

/** Rows that a search found, best first, with their scores. */
export interface Found {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Searches all records of a lake. */
export type Find = (call: SearchCall, signal?: AbortSignal) => Promise<Found>;

type Node = Readonly<Record<string, unknown>>;

/** A constant of a syntax tree; NULL has no value. */
interface Constant {
  readonly value?: unknown;
  readonly type?: { readonly id: string; readonly type_info?: { readonly scale: number } | null };
}

/** Name of the table with what was found; queries may not read it directly. */
export const FOUND_TABLE = "found_rows";

const FOUND = `SELECT r.id, f.rank, f.score FROM ${FOUND_TABLE} f JOIN live_records r ON r."row" = f.found_row WHERE f.words =`;

/** The statements that make the table function `search`: it reads what was found before the query runs. */
export const SEARCH_SQL = [
  `CREATE TABLE ${FOUND_TABLE} (words VARCHAR, most INTEGER, found_row INTEGER, rank INTEGER, score DOUBLE)`,
  `CREATE MACRO search(query_words) AS TABLE (${FOUND} query_words AND f.most = ${SQL_DEFAULTS.found}),
    (query_words, top) AS TABLE (${FOUND} query_words AND f.most = top::INTEGER)`,
] as const;

/**
 * Reads a call of `search` in a syntax tree. Its arguments are constants or parameters, so that it can be answered before the query runs.
 * @throws SqlError `sql_refused`
 */
export function searchCall(node: Node, params: SqlParams): SearchCall {
  const args = (node.children as readonly Node[]).map((child) => argument(child, params));
  const [words, most = SQL_DEFAULTS.found] = args;
  if (args.length < 1 || args.length > 2) throw refused("a text and a number at most", args.length);
  const { searchQueryMinLength: min, searchQueryMaxLength: max } = LIMITS;
  if (typeof words !== "string" || !hasCharacters(words, min.value, max.value))
    throw refused(`a text of ${min.value} to ${max.value} characters`, words);
  const count = Number(most);
  if (!Number.isInteger(count) || count < 1 || count > SQL_DEFAULTS.foundAtMost)
    throw refused(`a number from 1 to ${SQL_DEFAULTS.foundAtMost}`, most);
  return { words, most: count };
}

function argument(node: Node, params: SqlParams): unknown {
  if (node.class === "CONSTANT") {
    const { value, type } = node.value as Constant;
    if (value === undefined) return null;
    // 2.5 is 25 of the scale 1.
    return type?.id === "DECIMAL" ? Number(value) / 10 ** type.type_info!.scale : value;
  }
  if (node.class !== "PARAMETER") throw refused("constants and parameters", node.class);
  const name = String(node.identifier);
  return Array.isArray(params)
    ? params[Number(name) - 1]
    : (params as Readonly<Record<string, unknown>>)[name];
}

function refused(what: string, value: unknown): SqlError {
  return new SqlError("sql_refused", `search takes ${what}, not ${shown(value)}`, {
    value,
    remedy: "write search('words') or search('words', 50) in FROM, or pass them as parameters",
  });
}
