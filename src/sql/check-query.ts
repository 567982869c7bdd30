import { SqlError } from "../contract/errors.js";
import type { SqlParams } from "../duckdb/database.js";
import { foldName } from "../duckdb/fold-name.js";
import { FORMATTERS, hasFreeWidth } from "./bounded-functions.js";
import { SQL_DEFAULTS } from "./defaults.js";
import { mayCall, mayScan } from "./refused-functions.js";
import { type SearchCall, searchCall } from "./search-calls.js";

/** A node of DuckDB's syntax tree of a query (`json_serialize_sql`). */
type Node = Readonly<Record<string, unknown>>;

/** A recursive CTE: its left member is what it begins with, its right one what is repeated. */
const RECURSIVE = "RECURSIVE_CTE_NODE";

/** The only member that sees the CTE. In the left one its name means a table of the engine. */
const RECURSIVE_MEMBER = "right";

const QUERY_NODES = new Set(["SELECT_NODE", "SET_OPERATION_NODE", RECURSIVE, "CTE_NODE"]);

/** Allowed nodes in FROM; tables and functions have further checks. */
const TABLE_REFS = new Set(["EMPTY", "SUBQUERY", "JOIN", "EXPRESSION_LIST", "PIVOT"]);

const EXPRESSIONS = new Set([
  "BETWEEN",
  "CASE",
  "CAST",
  "COLLATE",
  "COLUMN_REF",
  "COMPARISON",
  "CONJUNCTION",
  "CONSTANT",
  "DEFAULT",
  "FUNCTION",
  "LAMBDA",
  "LAMBDA_REF",
  "OPERATOR",
  "PARAMETER",
  "POSITIONAL_REFERENCE",
  "STAR",
  "SUBQUERY",
  "TYPE",
  "WINDOW",
]);

/** Other parts of a query: ordering, limits, types of casts. */
const PARTS =
  /^(ORDER|LIMIT|LIMIT_PERCENT|DISTINCT)_MODIFIER$|^(ORDER_DEFAULT|ASCENDING|DESCENDING)$|_TYPE_INFO$/;

/** Member with a query's CTEs; they are walked first, each seeing those before it. */
const CTES = "cte_map";

/**
 * Checks DuckDB's syntax tree of a text: exactly one SELECT over the given views and its own CTEs, with pure functions only. The
 * check is an allow-list: unknown constructs are refused.
 * @param serialized result of `json_serialize_sql`
 * @param views names of the tables that it may read, as {@link foldName} makes them
 * @param params its parameters, which `search` may take
 * @returns its searches
 * @throws SqlError `sql_syntax`, `sql_refused` with the offending construct
 */
export function checkQuery(
  serialized: string,
  views: ReadonlySet<string>,
  params: SqlParams = [],
): readonly SearchCall[] {
  const parsed = JSON.parse(serialized) as {
    readonly error: boolean;
    readonly error_type?: string;
    readonly error_message?: string;
    readonly statements?: readonly { readonly node: Node }[];
  };
  if (parsed.error) {
    if (parsed.error_type === "parser") {
      throw new SqlError("sql_syntax", parsed.error_message ?? "The query cannot be parsed", {
        remedy: "correct the query; it is one SELECT in DuckDB's dialect",
        lines: true,
      });
    }
    throw refused("a statement that is not a SELECT", parsed.error_message);
  }
  const statements = parsed.statements ?? [];
  if (statements.length === 0) {
    throw new SqlError("sql_refused", "There is no statement in the text", {
      value: 0,
      remedy: "give one SELECT in DuckDB's dialect",
    });
  }
  if (statements.length > 1) throw refused(`${statements.length} statements in one text`, statements.length);
  const searches: SearchCall[] = [];
  walk(statements[0]!.node, { tables: views, params, searches });
  if (searches.length > SQL_DEFAULTS.searches)
    throw refused(`more than ${SQL_DEFAULTS.searches} searches`, searches.length);
  return searches;
}

/** What a part of a query may read, and what was found in the parts before. */
interface Scope {
  readonly tables: ReadonlySet<string>;
  readonly params: SqlParams;
  readonly searches: SearchCall[];
}

function walk(value: unknown, scope: Scope): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, scope);
    return;
  }
  if (value === null || typeof value !== "object") return;
  const node = value as Node;
  if (typeof node.class === "string") checkExpression(node);
  else if (typeof node.type === "string") checkNode(node, scope);
  if (node.class === "CONSTANT") return;
  const known = CTES in node ? withCtes(node, scope) : scope.tables;
  for (const [key, member] of Object.entries(node)) {
    if (key === CTES) continue;
    const recursive = node.type === RECURSIVE && key === RECURSIVE_MEMBER;
    walk(member, { ...scope, tables: recursive ? withName(known, String(node.cte_name)) : known });
  }
}

function checkExpression(node: Node): void {
  const kind = node.class as string;
  if (!EXPRESSIONS.has(kind)) throw refused(`the expression ${kind}`, kind);
  if (kind !== "FUNCTION" && kind !== "WINDOW") return;
  const name = String(node.function_name);
  // Some functions are replaced by macros of the session; a qualified name would bypass them.
  if (
    ![undefined, "", "main"].includes(node.schema as string) ||
    ![undefined, ""].includes(node.catalog as string)
  )
    throw refused(`the path of the function ${name}`, name);
  if (!mayCall(name)) throw refused(`the function ${name}`, name);
  if (FORMATTERS.has(foldName(name))) checkFormat(name, (node.children as readonly Node[] | undefined)?.[0]);
}

/** Refuses formats whose width can create a text of any size. */
function checkFormat(name: string, format: Node | undefined): void {
  const text = (format?.value as { readonly value?: unknown } | undefined)?.value;
  if (format?.class !== "CONSTANT" || typeof text !== "string" || hasFreeWidth(text))
    throw refused(`${name} but with a constant format whose widths have four digits at most`, name);
}

function checkNode(node: Node, scope: Scope): void {
  const type = node.type as string;
  if (QUERY_NODES.has(type) || TABLE_REFS.has(type) || PARTS.test(type)) return;
  if (type === "BASE_TABLE") checkTable(node, scope.tables);
  else if (type === "TABLE_FUNCTION") checkScan(node, scope);
  else if (type === "SHOW_REF") checkShow(node);
  else throw refused(`the construct ${type}`, type);
}

function checkTable(node: Node, tables: ReadonlySet<string>): void {
  const path = [node.catalog_name, node.schema_name, node.table_name].filter((part) => part !== "");
  const name = path.join(".");
  if (path.length === 1 && tables.has(foldName(name))) return;
  throw refused(`the table ${name}`, name);
}

function checkScan(node: Node, { params, searches }: Scope): void {
  const call = node.function as Node;
  const name = String(call.function_name);
  if (foldName(name) === "search") searches.push(searchCall(call, params));
  else if (!mayScan(name)) throw refused(`the table function ${name}`, name);
}

/** Allows DESCRIBE and SUMMARIZE of a query; SHOW exposes the engine and is refused. */
function checkShow(node: Node): void {
  if (node.query === null || !["DESCRIBE", "SUMMARY"].includes(String(node.show_type))) {
    throw refused("SHOW", "SHOW");
  }
}

/** The tables visible to a query: a CTE sees those before it. */
function withCtes(node: Node, scope: Scope): ReadonlySet<string> {
  let known = scope.tables;
  const { map } = node[CTES] as { readonly map: readonly { key: string; value: Node }[] };
  for (const { key, value } of map) {
    walk(value, { ...scope, tables: known });
    known = withName(known, key);
  }
  return known;
}

function withName(tables: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...tables, foldName(name)]);
}

function refused(construct: string, value: unknown): SqlError {
  return new SqlError("sql_refused", `Queries over a lake may not use ${construct}`, {
    value,
    remedy:
      "write one SELECT over the views records, comments, videos, prices, vectors and slices, search('words') and your own tables; values go in as parameters",
  });
}
