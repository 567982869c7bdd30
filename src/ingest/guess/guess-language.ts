import type { ValueSpec } from "../mapping/form/value-spec.js";
import { detectLanguage } from "../values/language/detect-language.js";
import { toLanguageTag } from "../values/language/language-code.js";
import { parsePath, readPath } from "../values/path.js";
import { LANGUAGE_NAMES } from "./part-names.js";
import type { Profile } from "./profile.js";

/** Characters of a row, and of all rows together, that a language is found by. */
const ROW_CHARS = 2000;
const ALL_CHARS = 20_000;
/** Characters that tell the language of a text, if it is one that is known. */
const TELLING_CHARS = 100;
/** Share of the rows with a language that have to have the same one for it to be that of all. */
const MOST = 0.85;

/** The language of the rows of a source. */
export interface GuessedLanguage {
  readonly spec: ValueSpec;
  readonly doubt: string | undefined;
}

/** The field that names the language of each row, by its name and its values. */
export function languageField(profiles: readonly Profile[], rows: readonly unknown[]): Profile | undefined {
  return profiles.find(({ path, name, kind }) => {
    if (kind !== "text" || !LANGUAGE_NAMES.includes(name)) return false;
    return valuesAt(rows, path).every(
      (value) => typeof value === "string" && toLanguageTag(value) !== undefined,
    );
  });
}

/** Most languages that a field of names of languages has. */
const MOST_NAMES = 100;

/** Says which field has names of languages, or other words for them, that are no codes. */
export function doubtLanguageNames(profiles: readonly Profile[], doubts: string[]): void {
  const field = profiles.find(
    ({ name, kind, distinct, length }) =>
      kind === "text" && LANGUAGE_NAMES.includes(name) && distinct <= MOST_NAMES && length <= TELLING_CHARS,
  );
  if (field === undefined) return;
  const { path, example } = field;
  const value = JSON.stringify({ path, map: { [String(example)]: "und" }, else: "und", language: true });
  doubts.push(
    `lang: ${path} is the language by its name, in words that are no codes (${JSON.stringify(example)}); name each in a map, \`"lang": ${value}\``,
  );
}

/**
 * Finds the language of the rows by their words: one for all where nearly all rows are in it, or are too short to tell and together
 * are in it. Detection of each row errs more than that.
 */
export function guessLanguage(
  rows: readonly unknown[],
  words: readonly string[],
): GuessedLanguage | undefined {
  if (words.length === 0) return undefined;
  const texts = rows.map((row) =>
    words
      .map((path) => readPath(row, parsePath(path, "guess")))
      .filter((value) => typeof value === "string")
      .join("\n")
      .slice(0, ROW_CHARS),
  );
  const counts = new Map<string, number>();
  let unsure = 0;
  for (const text of texts) {
    const tag = detectLanguage(text);
    if (tag !== "und") counts.set(tag, (counts.get(tag) ?? 0) + 1);
    else if (text.length >= TELLING_CHARS) unsure += 1;
  }
  const together = detectLanguage(texts.join("\n").slice(0, ALL_CHARS));
  const known = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const [most, ...others] = [...alikeAsOne(counts, together)].sort(([, a], [, b]) => b - a);
  const detected = { detect: [...words] };
  if (together === "und")
    return {
      spec: detected,
      doubt: 'lang: no language is sure; name it, `"lang": { "value": "en" }`, where you know it',
    };
  const [tag, count] = most ?? [together, 0];
  const told = known + unsure;
  const isShort = told * 2 < texts.length;
  if (tag === together && (count >= MOST * told || isShort)) {
    const how = isShort
      ? "the texts together look like it, most are too short to tell"
      : `${count} of ${told} rows look like it`;
    const doubt = `lang: ${tag} for all rows: ${how}; \`"lang": { "detect": ${JSON.stringify(words)} }\` finds it row by row`;
    return { spec: { value: tag }, doubt };
  }
  const found = [most, ...others]
    .slice(0, 4)
    .flatMap((one) => (one === undefined ? [] : [`${one[0]} ${one[1]}`]));
  const rest = unsure === 0 ? [] : [`not known ${unsure}`];
  return {
    spec: detected,
    doubt: `lang: found row by row, as the rows look like several languages (${[...found, ...rest].join(", ")}); if they are all in one, name it, \`"lang": { "value": "en" }\``,
  };
}

/** Languages that a short text is often in both of. */
const ALIKE: readonly (readonly string[])[] = [["hr", "sr-Latn"]];

/** Counts in which languages that short texts do not tell apart count for the one that all texts together are in. */
function alikeAsOne(counts: ReadonlyMap<string, number>, together: string): ReadonlyMap<string, number> {
  const alike = ALIKE.find((languages) => languages.includes(together));
  if (alike === undefined) return counts;
  const merged = new Map([...counts].filter(([tag]) => !alike.includes(tag)));
  return merged.set(
    together,
    alike.reduce((sum, tag) => sum + (counts.get(tag) ?? 0), 0),
  );
}

function valuesAt(rows: readonly unknown[], path: string): readonly unknown[] {
  const parsed = parsePath(path, "guess");
  return rows
    .map((row) => readPath(row, parsed))
    .filter((value) => value !== undefined && value !== null && value !== "");
}
