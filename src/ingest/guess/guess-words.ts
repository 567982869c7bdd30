import type { ValueSpec } from "../mapping/form/value-spec.js";
import { parsePath, readPath } from "../values/path.js";
import type { Profile } from "./profile.js";

/** Texts of at least this mean length, in characters, are taken for the words of a row. */
export const LONG_TEXT = 40;
/** Mean length, in characters, of all texts of a list that are taken for the words of a row. */
const LONG_LIST = 80;
/** Letters and digits alone: a path that a template can hold. */
const PLAIN_PATH = /^[\w.]+$/;

/**
 * Takes the longest texts for the words of the rows, if they are long.
 * @param least the least mean length, in characters
 */
export function takeLongest(
  profiles: readonly Profile[],
  used: Set<Profile>,
  least: number,
  doubts: string[],
): Profile | undefined {
  const texts = profiles
    .filter(
      (profile) =>
        !used.has(profile) &&
        profile.kind === "text" &&
        profile.time === undefined &&
        profile.person === undefined &&
        !isOfPicture(profile) &&
        !profile.coded &&
        !profile.emails &&
        profile.filled >= 0.5 &&
        profile.length >= least,
    )
    .sort((a, b) => Number(a.tokens) - Number(b.tokens) || b.length - a.length);
  const longest = texts.find(({ tokens }) => !tokens || least < LONG_TEXT);
  if (longest === undefined) return undefined;
  if (longest.length < LONG_TEXT) doubts.push(`text: ${longest.path} is short`);
  used.add(longest);
  doubts.push(`text: ${longest.path} has the longest texts`);
  return longest;
}

/** Names of words that stand for a picture where it is not shown. */
const OF_PICTURE = /(?:^|image|img|photo|picture)alt(?:text)?$/;

/** Whether a field describes a picture of the row, by its name. */
export function isOfPicture({ name }: Profile): boolean {
  return OF_PICTURE.test(name);
}

/** Whether a field has long texts for people. */
export function isLong({ kind, length, coded, tokens }: Profile): boolean {
  return kind === "text" && !coded && !tokens && length >= LONG_TEXT;
}

/** Long texts beside the words that a doubt names. */
const NAMED_TEXTS = 5;
/** Least share of the rows that have them. */
const OFTEN = 0.1;

/** Says which long texts search does not find, as they are not among the words. */
export function doubtOtherTexts(
  profiles: readonly Profile[],
  used: ReadonlySet<Profile>,
  text: readonly string[],
  doubts: string[],
): void {
  const [first] = text;
  if (first === undefined) return;
  const { example, depth = 1 } = profiles.find(({ path }) => path === first) ?? {};
  const others = profiles
    .filter(
      (profile) =>
        !used.has(profile) &&
        isLong(profile) &&
        profile.time === undefined &&
        profile.person === undefined &&
        !profile.emails &&
        profile.filled >= OFTEN &&
        profile.depth <= depth &&
        profile.example !== example,
    )
    .map(({ path }) => path);
  if (others.length === 0) return;
  const named = others.slice(0, NAMED_TEXTS);
  const more = others.length > named.length ? ", …" : "";
  const list = [...text, ...named].map((path) => JSON.stringify(path)).join(", ");
  doubts.push(
    `text: ${named.join(", ")}${more} ${others.length === 1 ? "holds" : "hold"} long texts, too, which search does not find under \`extra\`; \`{ "list": [${list}], "join": "\\n" }\` puts them together`,
  );
}

/** Says how many of the rows have no words. */
export function doubtWordless(rows: readonly unknown[], words: readonly string[], doubts: string[]): void {
  if (words.length === 0) return;
  const paths = words.map((path) => parsePath(path, "guess"));
  const without = rows.filter((row) => paths.every((path) => !readPath(row, path))).length;
  if (without > 0)
    doubts.push(
      `${words.join(" and ")}: empty in ${without} of the ${rows.length} rows looked at; search will not find those, and those without any figure are rejected`,
    );
}

/** The list of texts that says most, where no text of the rows is long: steps of a recipe, lines of a poem. */
export function longestList(
  profiles: readonly Profile[],
  used: ReadonlySet<Profile>,
  rows: readonly unknown[],
): Profile | undefined {
  let longest: { readonly profile: Profile; readonly length: number } | undefined;
  for (const profile of profiles) {
    if (used.has(profile) || profile.kind !== "list" || !profile.plain || profile.filled < 0.5) continue;
    const path = parsePath(profile.path, "guess");
    let chars = 0;
    for (const row of rows) {
      const value = readPath(row, path);
      const texts = Array.isArray(value) ? value.filter(isWords) : [];
      chars += texts.reduce((sum, text) => sum + text.length, 0);
    }
    const length = chars / rows.length;
    if (length >= LONG_LIST && length > (longest?.length ?? 0)) longest = { profile, length };
  }
  return longest?.profile;
}

/** Whether a value is a text for people: more than a label, and no address. */
function isWords(value: unknown): value is string {
  return typeof value === "string" && /\S\s+\S+\s+\S/.test(value) && !/^https?:\/\//.test(value);
}

/** Where nothing looks like words: a list of texts, else the id, so that each row is a record. */
export function wordsInstead(
  profiles: readonly Profile[],
  used: Set<Profile>,
  id: ValueSpec,
  doubts: string[],
): Record<string, ValueSpec> {
  const list = profiles.find(
    (profile) =>
      !used.has(profile) &&
      profile.kind === "list" &&
      profile.plain &&
      Array.isArray(profile.example) &&
      typeof profile.example[0] === "string",
  );
  const own = typeof id === "string" && PLAIN_PATH.test(id) ? id : "@row";
  const title = { template: `Row {${own}}` };
  doubts.push(`title: nothing looks like one; ${own} stands in, so that each row is a record`);
  if (list === undefined) return { title };
  used.add(list);
  doubts.push(`text: ${list.path} is a list of texts, joined`);
  return { title, text: { path: list.path, join: " " } };
}
