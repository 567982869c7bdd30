import { isIP } from "node:net";
import { parsePath, pathOfMember } from "../values/path.js";
import { plainText } from "../values/plain-text.js";
import { htmlOf } from "./html-of.js";
import {
  actorsOf,
  arePages,
  isListOfPeople,
  isOfPerson,
  type PersonPart,
  personInTexts,
  personPart,
} from "./person-field.js";
import { presentValues } from "./present-values.js";
import { type CountForm, countFormOf, type PriceForm, priceFormOf } from "./price-form.js";
import { areStars } from "./stars.js";
import { areAgo, timeOf } from "./time-of.js";
import { bracketed } from "./value-at.js";

const INTERNATIONAL = /^\s*(?:\+|00)[1-9][\d\s()./-]{6,20}$/;
const PHONE = /^[\s+]*(?:[\s()./-]*\d){6,15}[\s]*$/;
/** Names of fields with phone numbers, at a word's beginning. */
const PHONE_NAMES: ReadonlySet<string> = new Set(
  (
    "phone phones phonenumber phoneno telephone tel mobile mobilephone mobilenumber cell " +
    "cellphone cellnumber fax whatsapp wa contactnumber msisdn nohp handphone hp telepon telp " +
    "telefono teléfono celular movil móvil telefon handy telefone téléphone portable cellulare " +
    "телефон 手机 手机号 电话"
  ).split(" "),
);
const E_MAIL = /^[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/;
const TOKEN = /^[\x21-\x7e]*$/;
/** Numbers below it count something. */
const LOW_NUMBER = 10_000_000;
/** What stands for a count that is hidden. */
export const UNKNOWN = -1;
/** Longest path of members that is looked at. */
const MAX_DEPTH = 6;

/** The path of a row that is text itself. */
const ROW = "$";

/** What the values at one path of the sampled rows have in common. */
export interface Profile {
  /** Path as a mapping writes it: `user.name`. */
  readonly path: string;
  /** Last name of the path in lower case, without separators: `likecount`. */
  readonly name: string;
  /** Ends of the name at a word, longest first: `customerreview`, `review`. */
  readonly endings: readonly string[];
  /** How far in its path leads: 1 for a member of the row. */
  readonly depth: number;
  /** What of a person it tells, by its name. */
  readonly person: PersonPart | undefined;
  /** Whether it is a member of an object about a person. */
  readonly ofPerson: boolean;
  /** Where texts of JSON in it tell of a person. */
  readonly personIn: string | undefined;
  /** Share of the rows that have a value, 0 to 1. */
  readonly filled: number;
  readonly kind: "text" | "number" | "flag" | "list" | "object";
  /** Rows in which it is an object. */
  readonly objects: number;
  /** Its first value. */
  readonly example: unknown;
  /** Texts of it that stand for nothing, such as `null` and, among numbers, `N/A`. */
  readonly absent: readonly string[];
  /** How many different values there are. */
  readonly distinct: number;
  /** Whether no value occurs twice. */
  readonly unique: boolean;
  /** Mean length of texts; a character of Chinese, Japanese or Korean counts twice, as it says more. */
  readonly length: number;
  /** Whether all numbers are integers of 0 or more, or −1 for one that is hidden; or texts of such. */
  readonly counts: boolean;
  /** How the texts are written as counts, where they are no plain numbers. */
  readonly count: CountForm | undefined;
  /** Whether −1 is among the numbers. */
  readonly hides: boolean;
  /** Whether the numbers are spread as stars are that people give: 1 to 5, many of them 5. */
  readonly stars: boolean;
  /** Whether all numbers are as low as those of a count of rows, which other data have too. */
  readonly low: boolean;
  /** Format that every value is a time in. */
  readonly time: string | undefined;
  /** Whether every value is a time in words, counted from another: `3 weeks ago`. */
  readonly ago: boolean;
  /** How the texts are written as prices, where each of them is one. */
  readonly price: PriceForm | undefined;
  /** Whether texts hold HTML, or references such as `&amp;`. */
  readonly html: "text" | "entities" | undefined;
  /** Whether the texts are for machines: addresses, links, or JSON. */
  readonly coded: boolean;
  /** Whether the texts are marks without spaces, most of them with digits: ids, versions, codes. */
  readonly tokens: boolean;
  /** Whether every list is one of texts, numbers, true and false. */
  readonly plain: boolean;
  /** Whether some values are lists and others are not. */
  readonly mixed: boolean;
  /** Whether lists that have no objects and no lists have null in them. */
  readonly nulls: boolean;
  /** Whether texts hold spaces. */
  readonly spaced: boolean;
  /** Whether most texts are e-mail addresses. */
  readonly emails: boolean;
  /** Whether most texts are addresses of machines in a network, which are personal data. */
  readonly addresses: boolean;
  /** Whether most values are numbers of payment cards. */
  readonly cards: boolean;
  /** Whether most values are phone numbers: by the `+`, or by the name of the field. */
  readonly phones: boolean;
}

/**
 * Describes every member of the rows, in the order of the first row that has it.
 * @param lists whether the members of the first object of each list are described too, as `list[0].member`
 */
export function profileRows(rows: readonly unknown[], lists = false): Profile[] {
  const values = new Map<string, unknown[]>();
  const objects = new Map<string, number>();
  const single = bracketed(rows);
  const walk = (value: unknown, path: string, depth: number): void => {
    if (depth === 1 && Array.isArray(value) && single.has(path)) {
      if (value.length > 0) walk(value[0], `${path}[0]`, depth + 1);
      return;
    }
    const leaf = value === null || typeof value !== "object" || Array.isArray(value);
    const isList = lists && Array.isArray(value) && isObject(value[0]);
    if (!leaf) objects.set(path, (objects.get(path) ?? 0) + 1);
    // What is further in is not looked at: the object itself is what there is.
    if (path !== "" && (leaf || depth >= MAX_DEPTH)) {
      const known = values.get(path);
      if (known === undefined) values.set(path, [value]);
      else known.push(value);
    }
    if (isList && depth < MAX_DEPTH) walk((value as unknown[])[0], `${path}[0]`, depth + 1);
    if (leaf || depth >= MAX_DEPTH) return;
    for (const [key, member] of Object.entries(value)) {
      walk(member, pathOfMember(path, key), depth + 1);
    }
  };
  for (const row of rows) walk(row, typeof row === "string" ? ROW : "", 0);
  const actors = actorsOf([...values.keys()].map(wordsOf));
  return [...values].map(([path, found]) => {
    const person = personPart(wordsOf(path), actors);
    return profileOf(path, found, person, objects.get(path) ?? 0, rows.length);
  });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function profileOf(
  path: string,
  found: readonly unknown[],
  named: PersonPart | undefined,
  objects: number,
  rows: number,
): Profile {
  const { values: present, absent } = presentValues(found, isTyped);
  const texts = present.filter(isText);
  const lists: unknown[][] = present.filter((value) => Array.isArray(value));
  // What is personal is so in a list, too.
  const items = present.flat();
  const numbers = numbersOf(present);
  const numeric = present.length > 0 && areNumbers(numbers);
  const count = !numeric && texts.length === present.length ? countFormOf(texts) : undefined;
  const quoted = /\["((?:[^"\\]|\\.)*)"\]$/.exec(path)?.[1];
  const words = wordsOf(
    quoted ??
      path
        .split(".")
        .at(-1)
        ?.replace(/\[0\]$/, "") ??
      path,
  );
  const endings = words.map((_, i) => words.slice(i).join(""));
  const distinct = new Set(present.map(String)).size;
  return {
    path,
    name: endings[0] ?? "",
    endings,
    // A column of a flattened table is as far in as its dots or slashes say.
    depth: parsePath(path, "guess").steps.length + (quoted?.match(/\w[./](?=\w)/g)?.length ?? 0),
    person: personOf(wordsOf(path), named, present),
    ofPerson: isOfPerson(path, wordsOf),
    personIn: personInTexts(texts, wordsOf),
    filled: present.length / Math.max(1, rows),
    kind: kindOf(present, numeric),
    objects,
    example: present[0],
    absent,
    distinct,
    unique: distinct === present.length && present.length > 0,
    length: texts.reduce((sum, text) => sum + widthOf(text), 0) / Math.max(1, texts.length),
    counts: numeric
      ? numbers.every((value) => Number.isSafeInteger(value) && (value as number) >= UNKNOWN)
      : count !== undefined,
    count,
    hides: numeric && numbers.includes(UNKNOWN),
    low: numeric && numbers.every((value) => Math.abs(value as number) < LOW_NUMBER),
    stars: numeric && areStars(numbers as number[]),
    time: timeOf(present),
    ago: areAgo(present),
    price: texts.length > 0 && texts.length === present.length ? priceFormOf(texts) : undefined,
    html: htmlOf(texts),
    plain: present.every((value) => Array.isArray(value) && value.every(isScalar)),
    mixed: lists.length > 0 && lists.length < present.length,
    nulls: lists.flat().some((item) => item === null) && lists.flat().every(isScalarOrNull),
    spaced: texts.some((text) => /\s/.test(text.trim())),
    phones: arePhones(items, endings),
    emails: areMost(items.filter(isText), (text) => E_MAIL.test(text)),
    addresses: areMost(items.filter(isText), (text) => isIP(text.trim()) !== 0),
    cards: areMost(items, (value) => isCardNumber(plainText(value))),
    tokens: texts.every((text) => TOKEN.test(text)) && areMost(texts, (text) => /\d/.test(text)),
    coded: texts.length > 0 && texts.every((text) => /^(?:https?:\/\/|[{[]|<a\s)/.test(text)),
  };
}

function personOf(
  words: readonly string[],
  named: PersonPart | undefined,
  present: readonly unknown[],
): PersonPart | undefined {
  if (named !== undefined) return named;
  return arePages(present) || isListOfPeople(words, present) ? "id" : undefined;
}

function numbersOf(values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value));
}

function areNumbers(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "number" && Number.isFinite(value));
}

/** Whether values are all numbers, all times or all prices. */
function isTyped(values: readonly unknown[]): boolean {
  if (areNumbers(numbersOf(values)) || timeOf(values) !== undefined) return true;
  return values.every((value) => typeof value === "string") && priceFormOf(values) !== undefined;
}

/** The words of a path or of a name in it, in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .normalize("NFC")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== "");
}

function arePhones(present: readonly unknown[], endings: readonly string[]): boolean {
  const pattern = endings.some((name) => PHONE_NAMES.has(name)) ? PHONE : INTERNATIONAL;
  return present.filter((value) => pattern.test(plainText(value))).length * 2 > Math.max(1, present.length);
}

function areMost<T>(values: readonly T[], test: (value: T) => boolean): boolean {
  return values.filter(test).length * 2 > Math.max(1, values.length);
}

/** Digits of a payment card: 14 to 19, of which the last one checks the others (Luhn). */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  if (!/^[3-6]\d{13,18}$/.test(digits)) return false;
  let sum = 0;
  for (const [i, digit] of [...digits].reverse().entries()) {
    const twice = Number(digit) * (i % 2 === 0 ? 1 : 2);
    sum += twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

function isScalarOrNull(value: unknown): boolean {
  return value === null || isScalar(value);
}

function widthOf(text: string): number {
  return text.length + (text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu)?.length ?? 0);
}

function kindOf(present: readonly unknown[], numeric: boolean): Profile["kind"] {
  if (present.some(Array.isArray)) return "list";
  if (present.some((value) => typeof value === "object")) return "object";
  if (present.length > 0 && present.every((value) => typeof value === "boolean")) return "flag";
  return numeric ? "number" : "text";
}
