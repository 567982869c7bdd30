/** Kinds of personal data found by {@link findPii}. */
export const PII_KINDS = ["email", "phone", "handle"] as const;
/** One of {@link PII_KINDS}. */
export type PiiKind = (typeof PII_KINDS)[number];

/** A match that looks like personal data, in the text after Unicode normalization (NFKC). */
export interface PiiMatch {
  readonly kind: PiiKind;
  readonly text: string;
}

/** Quick pre-check: a text that does not match has no address, handle or long enough number. */
const SUSPECT = /[@＠]|[\d０-９](?:[^\p{L}\d０-９]{0,3}[\d０-９]){6}/u;

const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu;

const URL = /\bhttps?:\/\/[^\s<>"]+/gu;

/** Separators within grouped digits. */
const SEPARATOR = "[ .\\-/()]{0,2}";

/**
 * Usual formats of phone numbers. Look-alikes (an id, a price, a date) have no country code, no trunk prefix or another number of
 * digits.
 */
const PHONES = [
  // International: + or 00, then 7 to 15 digits (ITU-T E.164).
  `(?:\\+|00)[1-9](?:${SEPARATOR}\\d){6,14}`,
  // Chinese mobile, with or without the country code.
  `(?:86[ -]?)?1[3-9]\\d[ -]?\\d{4}[ -]?\\d{4}`,
  // Chinese landline, with the area code.
  "\\(?0(?:10|2\\d|[3-9]\\d{2})\\)?[ -]?\\d{4}[ -]?\\d{3,4}",
  // Indonesian mobile.
  "08\\d{2}[ -]?\\d{3,4}[ -]?\\d{3,5}",
  // North American, in its usual grouping.
  "\\(?[2-9]\\d{2}\\)?[ .-][2-9]\\d{2}[ .-]\\d{4}",
];
const PHONE = new RegExp(
  `(?<![A-Za-z\\d_+#/=-]|\\d[.,])(?:${PHONES.join("|")})(?![A-Za-z\\d_]|[.,-]\\d)`,
  "gu",
);

const HANDLE = /(?<![A-Za-z\d_.@])@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,28}[\p{L}\p{N}_])?/gu;

/**
 * Finds text that looks like an e-mail address, a phone number (international, Chinese, Indonesian or North American) or an
 * `@handle`, in this order. Heuristic: it misses disguised data, and may match other numbers.
 */
export function findPii(text: string): PiiMatch[] {
  if (!SUSPECT.test(text)) return [];
  const found: PiiMatch[] = [];
  const take = (kind: PiiKind, pattern: RegExp, from: string): string =>
    from.replace(pattern, (match) => {
      found.push({ kind, text: match });
      return " ";
    });
  const withoutEmails = take("email", EMAIL, text.normalize("NFKC"));
  const withoutPhones = take("phone", PHONE, withoutEmails.replace(URL, " "));
  const urls = withoutEmails.match(URL) ?? [];
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
