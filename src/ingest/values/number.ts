/** A source's format of numbers. */
export interface NumberFormat {
  /** Group separator, such as `,`. Absent: none is accepted. */
  readonly thousands?: string;
  /** Decimal separator. Default: `.`, or `,` if `.` separates groups. */
  readonly decimal?: string;
  /** Factors of suffixes, such as `{ "k": 1000, "万": 10000 }`; case-insensitive. */
  readonly suffixes?: Readonly<Record<string, number>>;
}

/** Full-width and small forms, and spaces. A superscript is no digit of the number that it stands behind. */
const FORMS = /[\uff00-\uffef\ufe50-\ufe6f\p{Zs}]/gu;
/** Digits of other scripts, and the minus sign. */
const OTHER_DIGIT = /[^\P{Nd}0-9]/gu;
const MINUS = /\u2212/g;
const APOSTROPHE = /\u2019/g;

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Parses a number as sources write it: plain, with separators (`1,299.00`, `1.299,00`), with a currency sign or code
 * (`Rp 53.500`, `12,90 €`), with a known suffix (`1.2万`), in full width or the digits of any script. All spaces are alike, in the format too. Finite numbers are returned unchanged.
 * Apostrophes separate groups without a format where they can be nothing else: `1’299’000`, `1’299.00`.
 * @returns undefined if it is not a number: other letters, superscripts, groups not of two or three digits or behind the decimal separator, NaN
 */
export function parseNumber(value: unknown, format: NumberFormat = {}): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return undefined;
  let text = folded(value).trim();
  let factor = 1;
  const suffixes = Object.entries(format.suffixes ?? {});
  if (suffixes.length > 1) suffixes.sort(([a], [b]) => b.length - a.length);
  for (const [written, by] of suffixes) {
    const suffix = folded(written);
    if (suffix !== "" && text.toLowerCase().endsWith(suffix.toLowerCase())) {
      text = text.slice(0, -suffix.length).trim();
      factor = by;
      break;
    }
  }
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  text =
    sign + text.slice(sign.length).replace(/^(?:[A-Za-z]{0,3}\p{Sc}|[A-Za-z]{1,3}\.?(?=[\s\d]))\s*/u, "");
  text = text.replace(/(?:\p{Sc}|(?<=[\d\s])[A-Z]{3})$/u, "").trimEnd();
  const given = format.thousands && folded(format.thousands);
  const decimal = folded(format.decimal ?? "") || (given === "." ? "," : ".");
  const thousands = given ?? (isGroupedByApostrophes(text, decimal) ? "'" : undefined);
  if (thousands !== undefined && text.includes(thousands)) {
    const [before, ...after] = text.slice(sign.length).split(decimal);
    if (after.some((part) => part.includes(thousands))) return undefined;
    const whole = before!.split(thousands);
    const grouped = whole.every((group, i) => (i === 0 ? /^\d{1,3}$/ : /^\d{2,3}$/).test(group));
    if (!grouped || whole.at(-1)!.length !== 3) return undefined;
    text = text.replaceAll(thousands, "");
  }
  if (decimal !== ".") {
    if (text.includes(".")) return undefined;
    text = text.replace(decimal, ".");
  }
  if (!PLAIN.test(text)) return undefined;
  const parsed = Number(text) * factor;
  // 1.2 × 10000 must not become 12000.000000000002.
  const rounded = factor === 1 ? parsed : Number(parsed.toPrecision(15));
  return Number.isFinite(rounded) ? rounded : undefined;
}

/**
 * Whether the apostrophes of a number can only separate groups: there are several, or a decimal separator stands behind. One alone may be
 * a decimal separator: `1'299`, as fuel is priced in Spain.
 */
function isGroupedByApostrophes(text: string, decimal: string): boolean {
  const first = text.indexOf("'");
  return first >= 0 && (text.includes("'", first + 1) || text.includes(decimal, first));
}

/** Text with full-width and small forms as usual ones, and every space, digit, minus sign and apostrophe as that of ASCII. */
function folded(text: string): string {
  return text
    .replace(FORMS, (form) => form.normalize("NFKC"))
    .replace(OTHER_DIGIT, (digit) => String(digitOf(digit.codePointAt(0)!)))
    .replace(MINUS, "-")
    .replace(APOSTROPHE, "'");
}

/** The value of a digit: those of a script are ten in a row, and rows may follow each other (Unicode, general category Nd). */
function digitOf(code: number): number {
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++;
  return before % 10;
}
