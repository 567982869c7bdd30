import { millisecondsAgo } from "./time-ago.js";
import { parseOffset, type Zone } from "./zone.js";

/** Conversion of a count since the Unix epoch to milliseconds. */
const EPOCH = {
  epoch_s: (ticks: number) => ticks * 1000,
  epoch_ms: (ticks: number) => ticks,
  epoch_us: (ticks: number) => ticks / 1e3,
  epoch_ns: (ticks: number) => ticks / 1e6,
} as const;

const MONTHS = "january february march april may june july august september october november december".split(
  " ",
);
/** Shortest name of a month. */
const MONTH_LETTERS = 3;

/** Minutes from UTC of the zones that mails and feeds name. */
const ZONE_NAMES: Readonly<Record<string, number>> = {
  UT: 0,
  UTC: 0,
  GMT: 0,
  EDT: -240,
  EST: -300,
  CDT: -300,
  CST: -360,
  MDT: -360,
  MST: -420,
  PDT: -420,
  PST: -480,
};

/** RFC 2822, as feeds and mails write it: the day of the week, seconds, and a zone by its name may be, and what is in parentheses. */
const MAIL_FORMAT =
  /^(?:[A-Za-z]{3},?\s+)?(?<day>\d{1,2})\s+(?<name>[A-Za-z]{3})\s+(?:(?<year>\d{4})|(?<short>\d{2}))\s+(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?:\s*(?<offset>[+-]\d{4}|[A-Z]{1,3}))?(?:\s*\([^()]*\))?$/;

/** Pattern letters (Unicode LDML date fields) and their regular expressions. */
const FIELDS: Readonly<Record<string, string>> = {
  yyyy: "(?<year>\\d{4})",
  yy: "(?<short>\\d{2})",
  MMMM: "(?<name>[A-Za-z]{3,9})",
  MMM: "(?<name>[A-Za-z]{3})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  dd: "(?<day>\\d{2})",
  d: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  hh: "(?<hour12>\\d{2})",
  h: "(?<hour12>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
  SSS: "(?<fraction>\\d{3})",
  SSSSSS: "(?<fraction>\\d{6})",
  EEE: "[A-Za-z]{3}",
  a: "(?<half>[AaPp][Mm])",
  XXX: "(?<offset>Z|[+-]\\d{2}:\\d{2})",
  xx: "(?<offset>[+-]\\d{4})",
};

/** ISO 8601, extended or basic. Eight digits alone are no date: they may be any number. */
const ISO_FORMAT =
  /^(?!\d{8}$)(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<day>\d{2})(?:[Tt ](?<hour>\d{2})(?<colon>:?)(?<minute>\d{2})(?:\k<colon>(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s?(?<offset>[Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** A source's format of times. */
export interface TimeFormat {
  readonly name: string;
  /** Whether the format has no year and needs a reference. */
  readonly yearless: boolean;
  /** Whether times are counted back from a reference: "3 hours ago". */
  readonly relative: boolean;
  /** Parses one value; undefined for another format or an impossible date. */
  parse(value: unknown, zone: Zone, reference?: TimeReference): Instant | undefined;
}

/** Reference of a date: its year, or the instant that it cannot precede or follow. */
export type TimeReference =
  | { readonly year: number }
  | { readonly notBefore: Instant }
  | { readonly notAfter: Instant };

/** An instant with its original offset. */
export interface Instant {
  readonly ms: number;
  readonly offsetMinutes: number;
}

type Fields = Readonly<Record<string, string | undefined>>;

/** Epoch ms of a wall-clock reading taken as UTC; undefined for an impossible date or time. */
function wallClock(year: number, fields: Fields): number | undefined {
  const month = fields.name ? monthOf(fields.name) : Number(fields.month ?? 1);
  const day = Number(fields.day ?? 1);
  let hour = Number(fields.hour ?? 0);
  if (fields.hour12 !== undefined) {
    const twelve = Number(fields.hour12);
    if (twelve < 1 || twelve > 12) return undefined;
    hour = (twelve % 12) + (fields.half?.toLowerCase() === "pm" ? 12 : 0);
  }
  const minute = Number(fields.minute ?? 0);
  const second = Number(fields.second ?? 0);
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  // A leap second counts as the second before it.
  date.setUTCHours(hour, minute, Math.min(second, 59), Number(`0.${fields.fraction ?? "0"}`) * 1000);
  return date.getTime();
}

/** Number of a month by its name or the first three letters of it; 0 for none. */
function monthOf(name: string): number {
  const lower = name.toLowerCase();
  return MONTHS.findIndex((month) => month === lower || month.slice(0, MONTH_LETTERS) === lower) + 1;
}

/** Minutes of an offset, or of a zone by its name. */
function minutesOf(offset: string): number | undefined {
  return Object.hasOwn(ZONE_NAMES, offset) ? ZONE_NAMES[offset] : parseOffset(offset);
}

function instantOf(fields: Fields, year: number, zone: Zone): Instant | undefined {
  const wall = wallClock(year, fields);
  if (wall === undefined) return undefined;
  const offset = fields.offset === undefined ? zone(wall) : minutesOf(fields.offset);
  return offset === undefined ? undefined : { ms: wall - offset * 60_000, offsetMinutes: offset };
}

/** The first matching date from the reference on, or back from it; eight years always include a 29 February. */
function withoutYear(fields: Fields, zone: Zone, reference: TimeReference | undefined): Instant | undefined {
  if (reference === undefined) return undefined;
  if ("year" in reference) return instantOf(fields, reference.year, zone);
  const back = "notAfter" in reference;
  const { ms, offsetMinutes } = back ? reference.notAfter : reference.notBefore;
  const year = new Date(ms + offsetMinutes * 60_000).getUTCFullYear();
  for (let i = 0; i <= 8; i++) {
    const instant = instantOf(fields, back ? year - i : year + i, zone);
    if (instant !== undefined && (back ? instant.ms <= ms : instant.ms >= ms)) return instant;
  }
  return undefined;
}

function fromFields(regex: RegExp, name: string, yearless: boolean): TimeFormat {
  return {
    name,
    yearless,
    relative: false,
    parse(value, zone, reference) {
      if (typeof value !== "string" && typeof value !== "number") return undefined;
      const fields = regex.exec(String(value).trim())?.groups;
      if (!fields) return undefined;
      if (yearless) return withoutYear(fields, zone, reference);
      return instantOf(fields, yearOf(fields), zone);
    },
  };
}

/** A year of two digits is between 1969 and 2068, as POSIX has it. */
function yearOf({ year, short }: Fields): number {
  if (short === undefined) return Number(year);
  return Number(short) + (Number(short) < 69 ? 2000 : 1900);
}

function epoch(name: keyof typeof EPOCH): TimeFormat {
  return {
    name,
    yearless: false,
    relative: false,
    parse(value) {
      const text = typeof value === "string" ? value.trim() : value;
      if (typeof text === "string" && !/^-?\d+(\.\d+)?$/.test(text)) return undefined;
      if (typeof text !== "string" && typeof text !== "number" && typeof text !== "bigint") return undefined;
      const ms = Math.floor(EPOCH[name](Number(text)));
      // Years 0001 to 9999: the range of ISO 8601 with four-digit years.
      if (!(ms >= -62_135_596_800_000 && ms < 253_402_300_800_000)) return undefined;
      return { ms, offsetMinutes: 0 };
    },
  };
}

const AGO: TimeFormat = {
  name: "ago",
  yearless: false,
  relative: true,
  parse(value, _zone, reference) {
    const before = typeof value === "string" ? millisecondsAgo(value) : undefined;
    if (before === undefined || reference === undefined || !("notAfter" in reference)) return undefined;
    const { ms, offsetMinutes } = reference.notAfter;
    return { ms: ms - before, offsetMinutes };
  },
};

function pattern(text: string): TimeFormat | undefined {
  let source = "";
  const usedFields = new Set<string>();
  const tokens = text.match(/'[^']*'|([A-Za-z])\1*|[^A-Za-z']+|'/g) ?? [];
  for (const token of tokens) {
    if (token.startsWith("'")) {
      if (token.length < 2) return undefined;
      source += escapeRegExp(token.slice(1, -1));
    } else if (/[A-Za-z]/.test(token)) {
      const field = FIELDS[token];
      if (field === undefined || usedFields.has(field)) return undefined;
      usedFields.add(field);
      source += field;
    } else {
      source += escapeRegExp(token).replace(/ +/g, (spaces) => `\\s{${spaces.length},}`);
    }
  }
  let regex: RegExp;
  try {
    // Programs name the zone in parentheses after its offset.
    const end = source.endsWith(FIELDS.xx!) ? "(?:\\s*\\([^()]*\\))?" : "";
    regex = new RegExp(`^${source}${end}$`);
  } catch {
    return undefined; // a field twice in two widths: duplicate group name
  }
  const has = (name: string) => source.includes(`(?<${name}>`);
  if (!has("day") || (!has("month") && !has("name")) || has("hour12") !== has("half")) return undefined;
  return fromFields(regex, text, !has("year") && !has("short"));
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/**
 * Parses a time format: `epoch_s`, `epoch_ms`, `epoch_us`, `epoch_ns`, `iso` (ISO 8601, date alone or with time, with or without
 * offset, which may be hours alone; the basic form with time), or a pattern of Unicode LDML fields such as `yyyy-MM-dd HH:mm:ss`, `yyyyMMddHHmmss`, `EEE MMM dd HH:mm:ss xx yyyy`,
 * `MMMM d, yyyy`, `rfc2822` (times of feeds and mails: `Tue, 10 Jun 2003 04:00:00 GMT`),
 * `MM-dd HH:mm` (no year: a reference decides), `yy.MM.dd`, or `ago` (a time before a reference in words, such as `3 hours ago`).
 * Months are English.
 * @returns undefined if the text is not a format
 */
export function parseTimeFormat(text: string): TimeFormat | undefined {
  if (text === "ago") return AGO;
  if (text === "iso") return fromFields(ISO_FORMAT, text, false);
  if (text === "rfc2822") return fromFields(MAIL_FORMAT, text, false);
  if (Object.hasOwn(EPOCH, text)) return epoch(text as keyof typeof EPOCH);
  return pattern(text);
}

/** ISO 8601 text of an instant in its own offset, with milliseconds only if there are any: `2013-03-18T12:49:45+08:00`. */
export function isoText(instant: Instant): string {
  const local = new Date(instant.ms + instant.offsetMinutes * 60_000).toISOString();
  const body = local.endsWith(".000Z") ? local.slice(0, 19) : local.slice(0, 23);
  const minutes = Math.abs(instant.offsetMinutes);
  const pad = (n: number) => String(n).padStart(2, "0");
  return `${body}${instant.offsetMinutes < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
