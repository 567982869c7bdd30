import { mayCallFunction, mayReadFunction } from "./allowed-functions.js";
import { refused } from "./query-text.js";

/** A node of the syntax tree of a query. */
interface Node {
  readonly kind: string;
  /** What follows the kind, without the alias and the number of children. */
  readonly rest: string;
  readonly children: Node[];
}

/** Nodes that a query may have. */
const KINDS = new Set([
  "ArrayJoin",
  "Asterisk",
  "ColumnsExceptTransformer",
  "ColumnsListMatcher",
  "ColumnsRegexpMatcher",
  "ColumnsReplaceTransformer",
  "ColumnsReplaceTransformer::Replacement",
  "ColumnsTransformerList",
  "ExpressionList",
  "Function",
  "Identifier",
  "InterpolateElement",
  "Literal",
  "OrderByElement",
  "QualifiedAsterisk",
  "SelectIntersectExceptQuery",
  "SelectQuery",
  "SelectWithUnionQuery",
  "Subquery",
  "TableExpression",
  "TableIdentifier",
  "TableJoin",
  "TablesInSelectQuery",
  "TablesInSelectQueryElement",
  "WindowDefinition",
  "WindowListElement",
  "WithElement",
]);

/** Functions whose second argument may be a table. */
const MEMBERSHIP =
  /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$|^(?:global)?not(?:null)?in(?:ignoreset)?$/i;

/**
 * Checks the server's syntax tree of a query (`EXPLAIN AST`, which parses and does nothing else): one SELECT over the given tables,
 * with known functions. The check is an allow-list: unknown nodes, functions and tables are refused.
 * @param lines of the tree, as the server writes them
 * @param tables names that may be read
 * @throws SqlError `sql_refused` with the offending construct
 */
export function checkTree(lines: readonly string[], tables: ReadonlySet<string>): void {
  const root = treeOf(lines);
  if (root.children.length !== 1 || root.children[0]!.kind !== "SelectWithUnionQuery")
    throw refused("a statement that is not a SELECT", root.children[0]?.kind);
  check(root.children[0]!, root, tables);
}

function treeOf(lines: readonly string[]): Node {
  const root: Node = { kind: "", rest: "", children: [] };
  const path = [root];
  for (const line of lines) {
    const [, indent, kind, rest = ""] = /^( *)([A-Za-z:]+)(?: (.*))?$/s.exec(line) ?? [];
    if (indent === undefined || indent.length >= path.length) throw refused("such a construct", line);
    const node = { kind: kind!, rest: kind === "Literal" ? rest : bare(rest), children: [] };
    path.length = indent.length + 1;
    path.at(-1)!.children.push(node);
    path.push(node);
  }
  return root;
}

function bare(rest: string): string {
  return rest.replace(/ ?\(children \d+\)$/, "").replace(/ ?\(alias [^()]*\)$/, "");
}

function check(node: Node, parent: Node, tables: ReadonlySet<string>): void {
  const { kind, rest, children } = node;
  if (!KINDS.has(kind)) throw refused(`the construct ${kind}`, kind);
  if (kind === "SelectWithUnionQuery" && (children.length !== 1 || children[0]!.kind !== "ExpressionList"))
    throw refused("FORMAT, INTO OUTFILE or SETTINGS", kind);
  if (kind === "TableIdentifier") checkTable(rest, tables);
  if (kind === "Function") checkFunction(node, parent, tables);
  for (const child of children) check(child, node, tables);
}

function checkTable(name: string, tables: ReadonlySet<string>): void {
  if (!tables.has(name)) throw refused(`the table ${name}`, name);
}

function checkFunction({ rest: name, children }: Node, parent: Node, tables: ReadonlySet<string>): void {
  if (parent.kind === "TableExpression") {
    if (!mayReadFunction(name)) throw refused(`the table function ${name}`, name);
    return;
  }
  if (!mayCallFunction(name)) throw refused(`the function ${name}`, name);
  const args = children[0]?.children ?? [];
  if (MEMBERSHIP.test(name)) {
    const among = args[1];
    if (among?.kind === "Identifier") checkTable(among.rest, tables);
  }
  // A text that is taken for an inner state of a function is bytes that were not checked.
  if (
    /cast/i.test(name) &&
    args.some(({ kind, rest }) => kind === "Literal" && /AggregateFunction/i.test(rest))
  )
    throw refused("the type AggregateFunction", name);
}
