/**
 * Writes the table of traditional Chinese characters and their simplified ones from the Unicode Character Database.
 * usage: node scripts/simplified-characters.js <Unihan_Variants.txt>
 */
import { readFileSync, writeFileSync } from "node:fs";

const TARGET = new URL("../src/search/analysis/simplified-characters.ts", import.meta.url);
const [FIRST, LAST] = [0x4e00, 0x9fff];
const PER_LINE = 60;
/** Other forms in common use that the field leaves out. */
const MORE = [
  "爲为",
  "裏里",
  "週周",
  "餵喂",
  "啓启",
  "衆众",
  "羣群",
  "峯峰",
  "牀床",
  "綫线",
  "喫吃",
  "滙汇",
  "証证",
  "纔才",
];

const [file] = process.argv.slice(2);
if (file === undefined) throw new RangeError("usage: simplified-characters.js <Unihan_Variants.txt>");

const text = readFileSync(file, "utf8");
const version = /Unicode version: ([\d.]+)/.exec(text)?.[1];
if (version === undefined) throw new RangeError(`${file} names no version of Unicode`);

/**
 * The variants of each character by a field of the database, those of the common block.
 * @param {string} field
 * @returns {Map<number, number[]>}
 */
function variantsBy(field) {
  const found = new Map();
  for (const [, from, variants] of text.matchAll(new RegExp(`^U\\+([0-9A-F]+)\\t${field}\\t(.+)$`, "gm"))) {
    const code = Number.parseInt(from, 16);
    // One that stays as it is in some words has itself among them: a search takes it for the other one everywhere.
    const others = variants
      .split(" ")
      .map((variant) => Number.parseInt(variant.slice(2), 16))
      .filter((other) => other !== code && other >= FIRST && other <= LAST);
    if (code >= FIRST && code <= LAST && others.length > 0) found.set(code, others);
  }
  return found;
}

const simplified = new Map([...variantsBy("kSimplifiedVariant")].map(([code, [first]]) => [code, first]));
for (const [from, to] of MORE) {
  const code = from.charCodeAt(0);
  if (!simplified.has(code)) simplified.set(code, to.charCodeAt(0));
}
const last = (/** @type {number} */ code, steps = 8) => {
  const next = simplified.get(code);
  return next === undefined || steps === 0 ? code : last(next, steps - 1);
};
const pairs = [...simplified.keys()].sort((a, b) => a - b).map((code) => [code, last(code)]);

const lines = [];
for (let i = 0; i < pairs.length; i += PER_LINE)
  lines.push(String.fromCharCode(...pairs.slice(i, i + PER_LINE).flat()));
const [head, tail] = readFileSync(TARGET, "utf8").split(/(?<=const PAIRS =\n)[\s\S]*?;\n/);
const body = lines.map((line) => `  "${line}"`).join(" +\n");
writeFileSync(TARGET, `${head.replace(/Unicode \d[\d.]*/, `Unicode ${version}`)}${body};\n${tail}`);
