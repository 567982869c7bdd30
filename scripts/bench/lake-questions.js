import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DATA = new URL("../../../shared/data/", import.meta.url).pathname;
/** Records whose pieces are asked for, per group. */
const PIECES = 45;
/** Questions of a collection, per language. */
const ASKED = 45;
const UNSPACED = /\p{Script=Han}|\p{Script=Thai}|\p{Script=Hiragana}|\p{Script=Katakana}/u;

/**
 * What people ask: the questions of the judged collections beside the checkout, by language, as many of each.
 * @returns {{ group: string, text: string }[]}
 */
export function judgedQuestions() {
  if (!existsSync(DATA))
    throw new Error("The questions are those of ../shared/data beside the checkout; it is not there.");
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const [folder, name] of [
    ["ir_xquad_multi", "XQuAD"],
    ["ir_cranfield_en", "Cranfield"],
  ]) {
    for (const line of readFileSync(join(DATA, folder, "beir/queries.jsonl"), "utf8")
      .split("\n")
      .filter(Boolean)) {
      const { text, lang } = JSON.parse(line);
      const group = lang === undefined ? name : `${name} ${lang}`;
      groups.set(group, [...(groups.get(group) ?? []), text]);
    }
  }
  return [...groups].flatMap(([group, texts]) => spread(texts, ASKED).map((text) => ({ group, text })));
}

/**
 * Short queries in people's own words: a piece of two to five words, or three to eight letters of a script without spaces, of the texts of
 * each platform that has a tenth of a hundredth of the lake at least. The same ones every time.
 * @param {readonly { platform: string, title?: string | null, text?: string | null }[]} records in the order of rows
 * @returns {{ group: string, text: string }[]}
 */
export function pieces(records) {
  /** @type {Map<string, string[]>} */
  const texts = new Map();
  for (const { platform, title, text } of records) {
    const whole = (title || text || "").trim();
    if (whole === "") continue;
    const those = texts.get(platform);
    if (those === undefined) texts.set(platform, [whole]);
    else those.push(whole);
  }
  return [...texts]
    .filter(([, list]) => list.length >= records.length / 1000)
    .flatMap(([platform, list]) =>
      spread(list, PIECES).map((text, i) => ({ group: `pieces of ${platform}`, text: piece(text, i) })),
    );
}

function piece(text, number) {
  const unspaced = UNSPACED.test(text);
  const parts = unspaced ? [...text.replace(/\s+/gu, "")] : text.split(/\s+/u);
  const length = unspaced ? 3 + (number % 6) : 2 + (number % 4);
  const from = Math.floor((((number * 7919) % 97) / 97) * Math.max(1, parts.length - length));
  return parts.slice(from, from + length).join(unspaced ? "" : " ");
}

/** `count` of the values, evenly spread. */
export function spread(values, count) {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, i) => values[Math.floor((i * values.length) / count)]);
}
