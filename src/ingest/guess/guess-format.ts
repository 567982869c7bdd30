import { formatCount } from "../../contract/quantity.js";
import type { ReadOptions } from "../adapters/source-spec.js";
import type { Condition } from "../mapping/form/schema.js";
import { parseWithNaN } from "../readers/json-text.js";
import { formatByName } from "../readers/sniff.js";
import { parseCutJson } from "./cut-json.js";
import { tableFormat } from "./table-format.js";

/** Depth to which a document is searched for its rows. */
const MAX_DEPTH = 4;

/** How the files of a source are read. */
export interface GuessedFormat {
  /** As `read` of a source; undefined where the file's name says it all. */
  readonly read: ReadOptions | undefined;
  /** The condition of the rule that takes the rows; undefined where it takes all. */
  readonly when: Condition | undefined;
}

/**
 * How a file is read, by its name and its start.
 * @param doubts takes what is not sure
 */
export function guessFormat(name: string, head: string, doubts: string[]): GuessedFormat {
  const format = formatByName(name);
  const start = head.trimStart();
  if (format === "json" || (format === undefined && /^\[\s*[[{"]/.test(start))) {
    if (/^\{.*\}\s*\n\s*\{/.test(start)) return { read: { as: "jsonl" }, when: undefined };
    const { rows, others, isCut } = placeOfRows(start);
    if (isCut)
      doubts.push(
        "rows: of a long document only the beginning was searched for them; a longer list may come behind it",
      );
    if (rows === undefined && start.startsWith("{"))
      doubts.push("no list of rows was found: the document is one row");
    if (rows?.endsWith("*") === true)
      doubts.push(`rows: the members of ${placeName(rows)} are the rows; their names are not read`);
    if (rows !== undefined && others.length > 0) doubts.push(unreadLists(rows, others));
    return { read: rows === undefined ? named(format, "json") : { as: "json", rows }, when: undefined };
  }
  if (format === "jsonl" || (format === undefined && start.startsWith("{")))
    return { read: named(format, "jsonl"), when: undefined };
  if (format === "parquet") return { read: undefined, when: undefined };
  return tableFormat(name, start, format === "csv", doubts);
}

function named(format: string | undefined, as: "json" | "jsonl"): ReadOptions | undefined {
  return format === as ? undefined : { as };
}

/** A document with as many texts of its own is a row, if no list in it has more objects than these: its links, its authors. */
const TEXTS_OF_A_ROW = 3;
const FEW_OBJECTS = 4;
/** Fewest members of an object that are taken for rows. */
const MIN_MEMBERS = 3;

function placeName(rows: string): string {
  if (rows === "*") return "the document";
  return rows.endsWith(".*") ? rows.slice(0, -".*".length) : rows;
}

/** Lists that a doubt names, and the fewest objects of one that it names. */
const NAMED_LISTS = 5;
const FEWEST_OBJECTS = 2;

/** Says which other lists of a document have objects, too. */
function unreadLists(rows: string, others: readonly List[]): string {
  const names = others.slice(0, NAMED_LISTS).map(({ path, length }) => `${path} with ${formatCount(length)}`);
  const more = others.length > names.length ? ", …" : "";
  const lists =
    others.length === 1
      ? "1 other list of objects is"
      : `${formatCount(others.length)} other lists of objects are`;
  return `rows: ${placeName(rows)} is read; ${lists} not (${names.join(", ")}${more}): a source for each reads them, too`;
}

/** A list of objects in a document, or the members of an object that are all alike. */
interface List {
  readonly path: string;
  readonly length: number;
}

/** Where the rows of a document are; undefined for the document itself. */
interface PlaceOfRows {
  readonly rows: string | undefined;
  /** Other lists with several objects, which are not read. */
  readonly others: readonly List[];
  /** Whether the text is only the beginning of the document. */
  readonly isCut: boolean;
}

/**
 * Dotted path of the longest list of objects in a document, or of the members of an object that has more of them, all alike; undefined
 * for the document itself.
 */
function placeOfRows(text: string): PlaceOfRows {
  let document: unknown;
  let isCut = false;
  try {
    document = parseWithNaN(text);
  } catch {
    document = parseCutJson(text); // longer than the head
    if (document === undefined || Array.isArray(document))
      return { rows: undefined, others: [], isCut: false };
    isCut = true;
  }
  let best: List | undefined;
  const lists: List[] = [];
  const walk = (value: unknown, path: string[], depth: number): void => {
    if (Array.isArray(value)) {
      const objects = value.filter((item) => item !== null && typeof item === "object").length;
      const list = { path: path.join("."), length: objects };
      if (objects >= FEWEST_OBJECTS) lists.push(list);
      if (objects > (best?.length ?? 0)) best = list;
    } else if (value !== null && typeof value === "object" && depth < MAX_DEPTH) {
      const members: unknown[] = Object.values(value);
      const inner = members.filter((member) => Array.isArray(member));
      const areLists = inner.length > 0 && inner.length === members.length;
      const length = areLists ? inner.reduce((sum, list) => sum + list.length, 0) : members.length;
      if (length > (best?.length ?? 0) && areAlike(areLists ? inner.map(([first]) => first) : members))
        best = { path: [...path, "*"].join("."), length };
      // A path has dots between its keys, and none in them.
      for (const [key, member] of Object.entries(value))
        if (!key.includes(".")) walk(member, [...path, key], depth + 1);
    }
  };
  walk(document, [], 0);
  if (best !== undefined && best.length <= FEW_OBJECTS && textsOf(document) >= TEXTS_OF_A_ROW)
    return { rows: undefined, others: [], isCut };
  const rows = best === undefined || best.path === "" ? undefined : best.path;
  return { rows, others: lists.filter(({ path }) => path !== rows && !isWithin(path, rows)), isCut };
}

/** Whether a list is one of the rows themselves: rows that are members of an object are looked into. */
function isWithin(path: string, rows: string | undefined): boolean {
  return rows?.endsWith("*") === true && path.startsWith(rows.slice(0, -1));
}

/** Whether values are objects that have most of their members in common. */
function areAlike(values: readonly unknown[]): boolean {
  if (values.length < MIN_MEMBERS) return false;
  const counts = new Map<string, number>();
  let all = 0;
  for (const value of values) {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
    for (const name of Object.keys(value)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      all += 1;
    }
  }
  const shared = [...counts.values()].filter((count) => count * 2 > values.length);
  return shared.length > 1 && shared.reduce((sum, count) => sum + count, 0) * 2 > all;
}

/** How many members of a document are texts. */
function textsOf(document: unknown): number {
  if (document === null || typeof document !== "object" || Array.isArray(document)) return 0;
  return Object.values(document).filter((member) => typeof member === "string").length;
}
