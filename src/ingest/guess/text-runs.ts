import { ownMember } from "../../contract/own-member.js";
import type { Profile } from "./profile.js";

/** Lists whose texts make one text together, as it changes its form: bold, a link. `text_entities`, `title.runs`. */
const RUNS = /(?:^|[._])(?:entities|runs|fragments|rich_text|richText)\[0\]\./;
/** Names of the text of a part. */
const TEXT = /\]\.(?:text|plain_text|plainText)$/;

/** Whether a path leads to the text of the first part of a text in parts: `text_entities[0].text`. */
export function isRun(path: string): boolean {
  return RUNS.test(path) && TEXT.test(path);
}

/**
 * Fields without what says nothing of the whole: the marks of a text in parts, and the first of parts that stand where other rows have
 * plain text.
 */
export function withoutMarks(profiles: readonly Profile[]): readonly Profile[] {
  const isInParts = profiles.some(({ path }) => isRun(path));
  const mixed = profiles.filter((profile) => isInParts && profile.mixed).map(({ path }) => `${path}[0]`);
  return profiles.filter(
    ({ path }) => !(RUNS.test(path) && !TEXT.test(path)) && !mixed.some((start) => path.startsWith(start)),
  );
}

/** The member of an object in a text in pieces that is its text. */
export const PIECE = "text";
/** Names of members that may be a text in pieces. */
const WORDS = ["text", "message", "content", "caption", "body"];

/** Rows whose texts in pieces are put together, and the members that these are in. */
export interface JoinedPieces {
  readonly rows: readonly unknown[];
  readonly names: ReadonlySet<string>;
}

/**
 * Puts texts in pieces together: members that are plain text in some rows and in others a list of texts and of objects with one, as
 * messengers write bold words and links. Where rows have the parts of their texts beside them, those are looked at.
 */
export function joinPieces(rows: readonly unknown[]): JoinedPieces {
  const names = new Set(WORDS.filter((name) => areInPieces(rows.filter(isRow).map((row) => row[name]))));
  const hasRuns = rows.some((row) => isRow(row) && Object.keys(row).some((name) => RUNS.test(`${name}[0].`)));
  if (names.size === 0 || hasRuns) return { rows, names: new Set() };
  const joined = rows.map((row) => {
    if (!isRow(row)) return row;
    const texts = [...names].flatMap((name) => {
      const value = row[name];
      return Array.isArray(value) ? [[name, value.map(textOf).join("")] as const] : [];
    });
    return { ...row, ...Object.fromEntries(texts) };
  });
  return { rows: joined, names };
}

function areInPieces(values: readonly unknown[]): boolean {
  const present = values.filter((value) => value !== undefined && value !== null);
  const lists = present.filter((value) => Array.isArray(value));
  if (!lists.flat().some(isRow)) return false;
  return present.every((value) =>
    Array.isArray(value) ? value.every((piece) => textOf(piece) !== undefined) : typeof value === "string",
  );
}

/** The text of a piece; undefined where it is none. */
function textOf(piece: unknown): string | undefined {
  const text = isRow(piece) ? ownMember(piece, PIECE) : piece;
  return typeof text === "string" ? text : undefined;
}

function isRow(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
