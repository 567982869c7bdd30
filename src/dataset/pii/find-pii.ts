import { CHAT, NAMED, PHONE, RUN } from "./phone-patterns.js";

/** Kinds of personal data found by {@link findPii}. */
export const PII_KINDS = ["email", "phone", "handle"] as const;
/** One of {@link PII_KINDS}. */
export type PiiKind = (typeof PII_KINDS)[number];

/**
 * A match that looks like personal data, as in the text after normalization: NFKC, digits and dashes of ASCII, an address without its
 * disguise.
 */
export interface PiiMatch {
  readonly kind: PiiKind;
  readonly text: string;
}

/** Quick pre-check: a text that does not match has no address, handle or long enough number. */
const SUSPECT = /[@＠]|%40|[([] ?at ?[)\]]|\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){6}/iu;

const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu;

/** An address with a space beside the `@`, under a usual ending: what follows an `@` is a place, too. */
const SPACED =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}(?: @ |@ )(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?:com|net|org|edu|gov|info|biz|[a-z]{2})(?![\p{L}\p{N}])/gu;

const AT = / ?[([] ?at ?[)\]] ?/iu;
const DOT = / ?[([] ?dot ?[)\]] ?/giu;
/** An address with `(at)`, and with dots or `(dot)`. */
const DISGUISED = new RegExp(
  `(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}._%+-]{1,64}${AT.source}(?:[\\p{L}\\p{N}-]{1,63}(?:\\.|${DOT.source})){1,8}\\p{L}{2,24}(?![\\p{L}\\p{N}])`,
  "giu",
);

const URL = /\bhttps?:\/\/[^\s<>"]+/gu;

const HANDLE = /(?<![A-Za-z\d_.@])@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,28}[\p{L}\p{N}_])?/gu;

/** Digits of other scripts that are written in phone numbers, dashes, and dots in the middle of a line. */
const OTHER_DIGIT = /[٠-٩۰-۹०-९০-৯]/g;
const OTHER_DASH = /[\u2010-\u2015\u2212]/g;
const OTHER_DOT = /(?<=\d)[·•∙‧](?=\d)/g;

function normalized(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/%40/g, "@")
    .replace(OTHER_DIGIT, digitOf)
    .replace(OTHER_DASH, "-")
    .replace(OTHER_DOT, ".");
}

/** The ASCII digit of an Arabic, Persian, Devanagari or Bengali one: the first two begin at a multiple of 16, the others 6 after one. */
function digitOf(digit: string): string {
  const code = digit.charCodeAt(0);
  return String((code & 15) - (code >= 0x900 ? 6 : 0));
}

/**
 * Finds text that looks like an e-mail address, a phone number (international, Chinese, Indonesian, North American, grouped after a
 * trunk prefix 0, or after a word such as `tel`; in links to chats) or an `@handle`, in this order. Heuristic: it misses what is disguised otherwise than by `(at)` and
 * `(dot)` and national numbers with neither groups nor such a word, and may match other numbers.
 */
export function findPii(text: string): PiiMatch[] {
  if (!SUSPECT.test(text)) return [];
  const found: PiiMatch[] = [];
  const take = (kind: PiiKind, pattern: RegExp, from: string, shown = (match: string) => match): string =>
    from.replace(pattern, (match) => {
      found.push({ kind, text: shown(match) });
      return " ";
    });
  const unspaced = take("email", EMAIL, normalized(text));
  const joined = (match: string) => match.replace(/ ?@ /, "@");
  const plain = unspaced.includes("@ ") ? take("email", SPACED, unspaced, joined) : unspaced;
  const undisguise = (match: string) => match.replace(AT, "@").replace(DOT, ".");
  const withoutEmails = AT.test(plain) ? take("email", DISGUISED, plain, undisguise) : plain;
  const withoutChats = take("phone", CHAT, withoutEmails, (match) => /\d+$/.exec(match)![0]);
  const withoutUrls = withoutChats.replace(URL, " ");
  const numbered = (match: string) => /\d+$/.exec(match)![0];
  const withoutNamed = RUN.test(withoutUrls) ? take("phone", NAMED, withoutUrls, numbered) : withoutUrls;
  const withoutPhones = take("phone", PHONE, withoutNamed);
  const urls = withoutChats.match(URL) ?? [];
  take("handle", HANDLE, [withoutPhones, ...urls].join(" "));
  return found;
}

/** Masks a match so that it can be shown: its kind stays visible, its owner does not. */
export function maskPii({ kind, text }: PiiMatch): string {
  if (kind === "phone") return maskDigits(text);
  if (kind === "handle") return `@${first(text.slice(1))}***`;
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  return `${first(text)}***@${first(domain)}***${domain.slice(domain.lastIndexOf("."))}`;
}

/** Masks all digits but the first two and the last two. */
function maskDigits(text: string): string {
  const digits = text.replace(/\D/g, "").length;
  let position = 0;
  return text.replace(/\d/g, (digit) => {
    position++;
    return position <= 2 || position > digits - 2 ? digit : "*";
  });
}

function first(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x2a);
}
