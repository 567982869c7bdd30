/** A link to a chat, which names the number. */
export const CHAT =
  /\b(?:wa\.me\/|(?:api\.whatsapp\.com|whatsapp:\/)\/send\/?\?phone=)(?:\+|%2B)?\d{7,15}(?!\d)/giu;

/** Separators within grouped digits. */
const SEPARATOR = "[ .\\-/()]{0,2}";
/** One of them, at most. */
const MARK = "(?:\\) ?|[ .\\-/])";

/** International with `+`, then 7 to 15 digits (ITU-T E.164). */
const INTERNATIONAL = `\\+[1-9](?:${SEPARATOR}\\d){6,14}`;

/**
 * Usual formats of phone numbers. Look-alikes (an id, a price, a date) have no country code, no trunk prefix or another number of
 * digits.
 */
const PHONES = [
  INTERNATIONAL,
  // International with 00, as long as numbers with their country are.
  `00[1-9](?:${SEPARATOR}\\d){8,14}`,
  // Chinese mobile, with or without the country code.
  `(?:86[ -]?)?1[3-9]\\d[ -]?\\d{4}[ -]?\\d{4}`,
  // Chinese landline, with the area code.
  "\\(?0(?:10|2\\d|[3-9]\\d{2})\\)?[ -]?\\d{4}[ -]?\\d{3,4}",
  // Indonesian mobile, with or without the country code.
  "(?:08|62[ -]?8)\\d{2}[ -]?\\d{3,4}[ -]?\\d{3,5}",
  // North American, in its usual grouping.
  "(?:1[ .-]?)?(?:\\(?[2-9]\\d{2}\\)?[ .-]|\\([2-9]\\d{2}\\))[2-9]\\d{2}[ .-]\\d{4}",
  // The same in two groups, as texts have it that were taken apart by words.
  "\\(?0[1-9]\\d{1,3}\\)? - \\d{6,8}(?![ .\\-/]?\\d)",
  // Of any country with the trunk prefix 0, in groups: 9 to 11 digits, and no date.
  `(?!\\d\\d[./-]\\d\\d[./-](?:19|20)\\d\\d)(?=\\(?0[1-9](?:${MARK}?\\d){7,9}(?!${MARK}?\\d))\\(?0[1-9]\\d{0,3}${MARK}\\d{2,8}(?:[ .\\-/]\\d{2,8}){0,4}(?![ .\\-/]?\\d)`,
];
/** Endings of names of files, as they are and in capitals. */
const ENDINGS =
  "jpg jpeg png gif webp heic bmp svg mp3 mp4 mov avi wav m4a pdf doc docx xls xlsx csv txt json htm html zip".split(
    " ",
  );
const FILE = `\\.(?:${[...ENDINGS, ...ENDINGS.map((ending) => ending.toUpperCase())].join("|")})\\b`;

/** What is before no number: the rest of a decimal, or of one with groups. Two long numbers may be apart by a comma alone. */
const DECIMAL = "\\d\\.|(?<!\\d{6})\\d,";
/** What is behind no number. */
const NO_END = `[A-Za-z\\d_]|[.-]\\d|,\\d(?!\\d{6})|${FILE}`;

/** After an equals sign, as in the query of an address, `+` alone says that it is a number. */
export const PHONE = new RegExp(
  `(?:(?<![A-Za-z\\d_+#/-]|${DECIMAL})(?=\\+)|(?<![A-Za-z\\d_+#/=-]|${DECIMAL})(?=[^+]))(?:${PHONES.join("|")})(?!${NO_END})`,
  "gu",
);

/** Words before a number of which they say that it is one to call. */
const NAMES = [
  "tel(?:p|pon|epon|efon|efono|éfono|efone|ephone)?|t[ée]l(?:[ée]phone)?|phone|call|mobile|cell(?:phone|ular)?|fax|whatsapp|wa|hotline|sms",
  "handphone|hp|handy|m[óo]vil|celular|portable|sđt|điện thoại|тел|телефон",
  "电话|電話|手机|手機|热线|熱線|传真|전화|휴대폰|โทร|هاتف|फोन",
];
/** What may be between the word and the number, and a colon there. */
const BETWEEN = "(?: (?:no|number|nomor|nr|numéro))?[ .]{0,2}";
const COLON = `${BETWEEN}[:=] ?`;

/** A run of digits, without which there is no {@link NAMED}: looking for it first is faster. */
export const RUN = /[ .:=\u0100-\uffff]\d{7,13}(?!\d)/;

/**
 * National numbers without groups after a word that says so: with the trunk prefix 0, of North America, or of any length behind a colon
 * and no day (`20180107`); Indonesian ones with the country code after the word for number.
 */
export const NAMED = new RegExp(
  `(?<![\\p{L}\\d_])(?:(?:${NAMES.join("|")})(?:(?:${COLON}|${BETWEEN})(?:0[1-9]\\d{7,9}|[2-9]\\d{2}[2-9]\\d{6})|${COLON}(?!(?:19|20)\\d{6}(?!\\d))[1-9]\\d{6,10})|nom[oe]r(?: ini)?[ .:]{0,3}62\\d{8,11})(?!\\d|[.,]\\d|${FILE})`,
  "giu",
);
