import { ownMember } from "../../contract/own-member.js";

/** How prices are written in texts. */
export interface PriceForm {
  readonly thousands: string | undefined;
  readonly decimal: "," | undefined;
  /** ISO 4217 code that the mark of all of them stands for; undefined where there is none, or it stands for none that is known. */
  readonly currency: string | undefined;
  /** Whether nothing shows which of two readings of `1.299` is meant. */
  readonly isUnsure: boolean;
}

/** Finds the number in a price's text, for `match` of a mapping. */
export const PRICE_NUMBER = "\\d(?:[\\d.,'’ \\u00a0\\u202f]*\\d)?";

const NUMBER = /^(\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\2\d{3})*|\d+)(?:([.,])(\d+))?$/;
const PRICE =
  /^(?<before>(?:[A-Z]{1,3} )?[^\d.,\s-]{1,4})?[\s.]*(?<number>\d(?:[\d.,'’ \u00a0\u202f]*\d)?)\s*(?<after>[^\d,\s]{1,5})?$/u;
/** What stands for a currency: the code of it, or the mark of one, or of several of which the first is written. */
const CURRENCIES: Readonly<Record<string, string>> = {
  $: "USD",
  "us $": "USD",
  us$: "USD",
  "c $": "CAD",
  ca$: "CAD",
  "au $": "AUD",
  au$: "AUD",
  nz$: "NZD",
  hk$: "HKD",
  s$: "SGD",
  nt$: "TWD",
  mx$: "MXN",
  "€": "EUR",
  "£": "GBP",
  "¥": "JPY",
  "￥": "JPY",
  円: "JPY",
  元: "CNY",
  "₩": "KRW",
  원: "KRW",
  "₹": "INR",
  rs: "INR",
  "₽": "RUB",
  руб: "RUB",
  "₴": "UAH",
  грн: "UAH",
  zł: "PLN",
  kč: "CZK",
  ft: "HUF",
  lei: "RON",
  r$: "BRL",
  "₺": "TRY",
  tl: "TRY",
  "₫": "VND",
  đ: "VND",
  "฿": "THB",
  "₪": "ILS",
  rp: "IDR",
  "₱": "PHP",
  "₦": "NGN",
  "৳": "BDT",
};

/** How texts are written as prices; undefined where one of them is none, or they are written in several ways. */
export function priceFormOf(texts: readonly string[]): PriceForm | undefined {
  const marks = new Set<string>();
  const currencies = new Set<string | undefined>();
  const thousands = new Set<string>();
  const decimals = new Set<string>();
  let either = 0;
  for (const text of texts) {
    const { before, number, after } = PRICE.exec(text.trim())?.groups ?? {};
    if (number === undefined) return undefined;
    const mark = (before ?? after ?? "").toLowerCase().replace(/\.$/, "");
    if ((before !== undefined && after !== undefined) || (mark !== "" && currencyOf(mark) === undefined))
      return undefined;
    marks.add(mark);
    currencies.add(mark === "" ? undefined : currencyOf(mark));
    const [, whole, group, point, fraction] = NUMBER.exec(number) ?? [];
    if (whole === undefined) return undefined;
    const groups = group === undefined ? 0 : whole.split(group).length - 1;
    if (point !== undefined && fraction!.length === 3 && group === undefined && whole.length <= 3) {
      thousands.add(point);
      either += 1;
    } else if (point !== undefined) decimals.add(point);
    if (group === undefined) continue;
    thousands.add(group);
    if (groups === 1 && point === undefined && /[.,]/.test(group)) either += 1;
  }
  const [mark = ""] = marks;
  // One currency may have several marks: `¥` and its full-width form.
  if (currencies.size !== 1 || decimals.size > 1) return undefined;
  const [decimal] = decimals;
  if (decimal !== undefined) thousands.delete(decimal);
  if (thousands.size > 1) return undefined;
  const [separator] = thousands;
  if (mark === "" && separator === undefined && decimal !== ",") return undefined;
  return {
    thousands: separator,
    decimal: decimal === "," ? decimal : undefined,
    currency: mark === "" ? undefined : currencyOf(mark),
    isUnsure: decimal === undefined && either > 0,
  };
}

function currencyOf(mark: string): string | undefined {
  if (Object.hasOwn(CURRENCIES, mark)) return CURRENCIES[mark];
  return /^[a-z]{3}$/.test(mark) ? mark.toUpperCase() : undefined;
}

/** Currencies of the places where a language is mostly written. */
const OF_LANGUAGES: Readonly<Record<string, string>> = {
  zh: "CNY",
  ja: "JPY",
  ko: "KRW",
  vi: "VND",
  th: "THB",
  id: "IDR",
  hi: "INR",
  ru: "RUB",
  uk: "UAH",
  pl: "PLN",
  tr: "TRY",
  he: "ILS",
  cs: "CZK",
  hu: "HUF",
};

/** The currency to write where nothing says which it is. */
export function likelyCurrency(language: string | undefined): string {
  return ownMember(OF_LANGUAGES, language ?? "") ?? "USD";
}

/** How counts are written in texts, as options of a value. */
export interface CountForm {
  /** Takes the number and its suffix from texts of this form, and nothing from any other. */
  readonly match: string;
  readonly thousands: string | undefined;
  readonly decimal: "," | undefined;
  readonly suffixes: Readonly<Record<string, number>>;
}

/** What stands behind a count for a thousand, ten thousand, a million: those that are used together. */
const SUFFIXES: readonly Readonly<Record<string, number>>[] = [
  { k: 1e3, m: 1e6, b: 1e9 },
  { 万: 1e4, w: 1e4, 亿: 1e8 },
  { 萬: 1e4, 億: 1e8 },
  { 천: 1e3, 만: 1e4, 억: 1e8 },
  { "тыс.": 1e3, тыс: 1e3, млн: 1e6 },
  { rb: 1e3, jt: 1e6 },
  { mil: 1e3, mi: 1e6 },
];
const COUNT = new RegExp(
  `^\\(?(?<number>\\d[\\d.,]*)(?:\\s*(?<suffix>${SUFFIXES.map(anyOf).join("|")})(?![a-zа-я]))?(?<tail>[^\\d]*)$`,
  "iu",
);
/** Longest text behind a count. */
const MAX_TAIL = 24;

/** How counts are written in texts that are no plain numbers: `1.2万`, `10K+`, `(1,406 reviews)`; undefined where they are not all counts. */
export function countFormOf(texts: readonly string[]): CountForm | undefined {
  const found = texts.map((text) => COUNT.exec(text.trim())?.groups);
  if (texts.length === 0 || !found.every((groups) => groups !== undefined)) return undefined;
  const tails = new Set(found.map(({ tail }) => tail!.replace(/^\+/, "").trim()));
  const [tail = ""] = tails;
  if (tails.size > 1 || tail.length > MAX_TAIL) return undefined;
  const numbers = found.map(({ number }) => number!);
  const short = found.flatMap(({ number, suffix }) => (suffix === undefined ? [] : [number!]));
  const decimal = short.some((number) => /^\d+,\d{1,2}$/.test(number)) ? "," : undefined;
  const isGrouped = (mark: string) =>
    numbers.some((number) => new RegExp(`^\\d{1,3}(?:[${mark}]\\d{3})+$`).test(number));
  const mark = decimal === undefined ? "," : ".";
  const used = found.flatMap(({ suffix }) => suffix?.toLowerCase() ?? []);
  const suffixes = SUFFIXES.find((family) => used.some((suffix) => suffix in family)) ?? SUFFIXES[0]!;
  return {
    match: `^\\(?(\\d[\\d.,]*\\s*(?:${inBothCases(suffixes)})?)\\+?\\s*${escaped(tail)}$`,
    thousands: isGrouped(mark) ? mark : undefined,
    decimal,
    suffixes,
  };
}

function anyOf(suffixes: Readonly<Record<string, number>>): string {
  return Object.keys(suffixes).map(escaped).join("|");
}

function inBothCases(suffixes: Readonly<Record<string, number>>): string {
  const names = anyOf(suffixes);
  return [...new Set(`${names}|${names.toUpperCase()}`.split("|"))].join("|");
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}/]/g, "\\$&");
}
