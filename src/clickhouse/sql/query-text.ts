import { SqlError } from "../../contract/errors.js";
import type { SqlParams, SqlValue } from "../../duckdb/database.js";
import { checkText } from "../../sql/check-text.js";
import { SQL_DEFAULTS } from "../../sql/defaults.js";
import { type SearchCall, searchCall } from "../../sql/search-calls.js";
import { typedValue } from "./parameter-types.js";

/** A query of a user, ready for the server's parser. */
export interface QueryText {
  /** The query, built of the tokens that were read: without comments, with parameters in the server's form. */
  readonly sql: string;
  /** Values of its parameters, by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Its searches; the table of the first is `found_0`. */
  readonly searches: readonly SearchCall[];
  /** Every name that occurs. */
  readonly names: ReadonlySet<string>;
  /** Whether it may ask for columns that it does not name: by `*`, or a pattern. */
  readonly asksForAll: boolean;
  /** Names that may be those of CTEs. */
  readonly ctes: ReadonlySet<string>;
}

type Kind = "space" | "word" | "number" | "text" | "quoted" | "parameter" | "symbol";
interface Token {
  readonly kind: Kind;
  readonly text: string;
}

/** Tokens that a query may be made of. Whatever is none of them is refused. */
const TOKENS: readonly (readonly [Kind, RegExp])[] = [
  ["space", /(?:\s+|--[^\n]*|\/\*[\s\S]*?\*\/)+/y],
  ["parameter", /\?|\$(?:[A-Za-z_]\w*|[1-9]\d*)(?![\w$])/y],
  ["word", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["number", /(?:0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?!\w)/y],
  ["text", /'(?:[^'\\]|\\[\s\S]|'')*'/y],
  ["quoted", /"[^"\\\n]*"|`[^`\\\n]*`/y],
  ["symbol", /::|\|\||->|!=|<>|<=|>=|[()[\],.*+\-/%=<>;]/y],
];

/** What a quoted name may be: none can be taken for something else in the server's account of a query. */
const PLAIN_NAME = /^[\p{L}\p{N}_ .%/+#&:-]+$/u;

/** Words that would say where a result goes, or under which settings. */
const CLAUSES = new Set(["settings", "format", "into", "outfile", "parallel"]);

/** Name of the table of a search. */
export const foundTable = (i: number) => `found_${i}`;

/**
 * Reads the text of a query: its tokens, parameters and searches. What it gives is built of the tokens that were read, so that the
 * server cannot read another query than this did.
 * @throws SqlError `sql_refused`, `sql_syntax`, `sql_params`
 */
export function readQueryText(given: string, params: SqlParams): QueryText {
  checkText(given);
  const tokens = trimmed(tokensOf(given));
  const first = tokens.find(({ kind, text }) => kind !== "space" && text !== "(");
  if (first === undefined) throw refused("an empty text", 0);
  if (!/^(?:select|with)$/i.test(first.text)) throw refused("a statement that is not a SELECT", first.text);
  const searches: SearchCall[] = [];
  const bound = new Parameters(params);
  const names = new Set<string>();
  const ctes = new Set<string>();
  let asksForAll = false;
  let sql = "";
  for (let i = 0; i < tokens.length; i += 1) {
    const { kind, text } = tokens[i]!;
    if (kind === "parameter") sql += bound.take(text);
    else if (kind === "space") sql += " ";
    else if (kind === "symbol") {
      if (text === ";") throw refused("several statements in one text", text);
      asksForAll ||= text === "*" && !isCounted(tokens, i);
      sql += text;
    } else if (isSearch(tokens, i)) {
      const { call, end } = readSearch(tokens, i, params, bound);
      sql += foundTable(searches.length);
      searches.push(call);
      i = end;
    } else {
      if (kind === "word" && CLAUSES.has(text.toLowerCase()) && nextOf(tokens, i)?.text !== "(")
        throw refused(`the word ${text.toUpperCase()}`, text);
      const name = kind === "word" ? text : kind === "quoted" ? text.slice(1, -1) : undefined;
      if (name !== undefined) {
        asksForAll ||= name.toLowerCase() === "columns";
        if (!PLAIN_NAME.test(name)) throw refused("such a quoted name", name);
        names.add(name);
        if (beginsCte(tokens, i)) ctes.add(name);
      }
      sql += kind === "quoted" ? `\`${text.slice(1, -1)}\`` : text;
    }
  }
  bound.assertAllTaken(given);
  if (searches.length > SQL_DEFAULTS.searches)
    throw refused(`more than ${SQL_DEFAULTS.searches} searches`, searches.length);
  return { sql, values: bound.values, searches, names, asksForAll, ctes };
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const found = TOKENS.find(([, pattern]) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    });
    if (found === undefined) throw unreadable(text, at);
    const [kind, { lastIndex }] = found;
    tokens.push({ kind, text: text.slice(at, lastIndex) });
    at = lastIndex;
  }
  return tokens;
}

function unreadable(text: string, at: number): SqlError {
  const shown = String.fromCodePoint(text.codePointAt(at)!);
  const ends = text.startsWith("/*", at) || "'\"`".includes(shown);
  if (ends)
    return new SqlError(
      "sql_syntax",
      `What begins with ${shown} at character ${at + 1} has no end, or has \\`,
      {
        value: shown,
        remedy: "close the text, the name or the comment",
      },
    );
  return refused(`the character ${shown}`, shown);
}

/** Without spaces and semicolons at the end. */
function trimmed(tokens: readonly Token[]): Token[] {
  const last = tokens.findLastIndex(({ kind, text }) => kind !== "space" && text !== ";");
  return tokens.slice(0, last + 1);
}

function nextOf(tokens: readonly Token[], i: number): Token | undefined {
  return tokens.slice(i + 1).find(({ kind }) => kind !== "space");
}

/** Whether a star is all there is in its brackets: `count(*)`. */
function isCounted(tokens: readonly Token[], i: number): boolean {
  const before = tokens.slice(0, i).findLast(({ kind }) => kind !== "space");
  return before?.text === "(" && nextOf(tokens, i)?.text === ")";
}

/** Whether a name is followed by `AS (SELECT`, as that of a CTE is. */
function beginsCte(tokens: readonly Token[], i: number): boolean {
  const rest = tokens.slice(i + 1, i + 12).filter(({ kind }) => kind !== "space");
  const [as, open, begin] = rest.map(({ text }) => text.toLowerCase());
  return as === "as" && open === "(" && ["select", "with", "("].includes(begin!);
}

function isSearch(tokens: readonly Token[], i: number): boolean {
  const { kind, text } = tokens[i]!;
  return kind === "word" && text.toLowerCase() === "search" && nextOf(tokens, i)?.text === "(";
}

/** Reads `search('words', 50)`; its arguments are constants or parameters. */
function readSearch(
  tokens: readonly Token[],
  at: number,
  params: SqlParams,
  bound: Parameters,
): { readonly call: SearchCall; readonly end: number } {
  const end = tokens.findIndex(({ text }, i) => i > at && text === ")");
  const inner = tokens.slice(at + 1, end).filter(({ kind, text }) => kind !== "space" && text !== "(");
  const args = inner.filter(({ text }) => text !== ",");
  const children = args.map(({ kind, text }) => {
    if (kind === "parameter") return constant(bound.valueOf(text));
    if (kind === "number") return constant(Number(text));
    return kind === "text" ? constant(unescaped(text)) : { class: kind };
  });
  return { call: searchCall({ children }, params), end };
}

const constant = (value: unknown) => ({ class: "CONSTANT", value: { value } });

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "0": "\0", b: "\b", f: "\f" };

function unescaped(text: string): string {
  return text
    .slice(1, -1)
    .replace(/''|\\([\s\S])/g, (whole, char: string | undefined) =>
      whole === "''" ? "'" : (ESCAPES[char!] ?? char!),
    );
}

/** The parameters of a query, in the server's form. */
class Parameters {
  readonly values: Record<string, unknown> = {};
  private readonly taken = new Set<string>();
  private questions = 0;

  constructor(private readonly params: SqlParams) {}

  /** What stands for a parameter in the text. */
  take(token: string): string {
    const key = this.keyOf(token);
    const typed = typedValue(this.at(key), key);
    if (typed === undefined) return "NULL";
    const name = `u_${key}`;
    this.values[name] = typed.value;
    return `{${name}:${typed.type}}`;
  }

  /** The value of a parameter that does not stand in the text. */
  valueOf(token: string): SqlValue {
    return this.at(this.keyOf(token));
  }

  /** @throws SqlError `sql_params` for one that the query does not take */
  assertAllTaken(text: string): void {
    const given = Object.keys(this.params).map((key) => (Array.isArray(this.params) ? Number(key) + 1 : key));
    const extra = given.filter((key) => !this.taken.has(String(key)));
    if (extra.length > 0) throw wrongParameters(`does not take ${shownKeys(extra)}`, text);
  }

  private keyOf(token: string): string {
    return token === "?" ? String(++this.questions) : token.slice(1);
  }

  private at(key: string): SqlValue {
    this.taken.add(key);
    const own = Array.isArray(this.params)
      ? (this.params as readonly SqlValue[])[Number(key) - 1]
      : Object.hasOwn(this.params, key)
        ? (this.params as Readonly<Record<string, SqlValue>>)[key]
        : undefined;
    if (own === undefined) throw wrongParameters(`has no value for ${shownKeys([key])}`, key);
    return own;
  }
}

const shownKeys = (keys: readonly (string | number)[]) => keys.map((key) => `$${key}`).join(", ");

function wrongParameters(problem: string, value: unknown): SqlError {
  return new SqlError("sql_params", `The statement ${problem}`, {
    value,
    remedy: "give a value for each parameter: a list for ? and $1, an object for $name",
  });
}

/** The error of a query that uses what it may not. */
export function refused(what: string, value: unknown): SqlError {
  return new SqlError("sql_refused", `Queries over a lake on ClickHouse may not use ${what}`, {
    value,
    remedy:
      "write one SELECT over the views records, comments, videos, prices, vectors and slices, and search('words'); values go in as parameters",
  });
}
