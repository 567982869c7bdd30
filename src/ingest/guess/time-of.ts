import { millisecondsAgo } from "../values/time-ago.js";
import { parseTimeFormat } from "../values/time-format.js";
import { parseZone } from "../values/zone.js";

/** Formats that a guess tries, most specific first; of days and months in either order, padded ones are European, others American. */
const FORMATS = [
  "iso",
  "yyyy-MM-dd HH:mm:ss",
  "yyyy/MM/dd HH:mm:ss",
  "yyyy/MM/dd",
  "yyyy/M/d H:mm:ss",
  "yyyy/M/d H:mm",
  "yyyy/M/d",
  "yyyy-M-d H:mm:ss",
  "yyyy-M-d H:mm",
  "yyyy-M-d",
  "yyyy.MM.dd HH:mm:ss",
  "yyyy.MM.dd HH:mm",
  "yyyy.MM.dd",
  "yyyy.MM.dd. HH:mm",
  "yyyy.MM.dd.",
  "yyyy. M. d.",
  "yyyy年M月d日 HH:mm",
  "yyyy年M月d日",
  "dd/MM/yyyy HH:mm:ss",
  "dd/MM/yyyy HH:mm",
  "dd/MM/yyyy",
  "M/d/yyyy H:mm:ss",
  "M/d/yyyy H:mm",
  "M/d/yyyy h:mm:ss a",
  "M/d/yyyy h:mm a",
  "M/d/yyyy",
  "M/d/yy, h:mm a",
  "d/M/yyyy H:mm:ss",
  "d/M/yyyy H:mm",
  "d/M/yyyy",
  "d.M.yyyy H:mm",
  "d.M.yyyy",
  "yyyyMMddHHmmss",
  "yyyyMMdd",
  "yy.MM.dd",
  "MMM d yyyy",
  "MMM d, yyyy",
  "MMMM d, yyyy",
  "d MMM yyyy",
  "d MMMM yyyy",
  "d-MMM-yyyy",
  "EEE MMM dd HH:mm:ss xx yyyy",
  "EEE MMM dd yyyy HH:mm:ss 'GMT'xx",
  "rfc2822",
  "epoch_ms",
  "epoch_s",
  "epoch_us",
].map((name) => ({ name, format: parseTimeFormat(name)! }));
const UTC = parseZone("UTC")!;
/** Instants outside these are some other number, or some other text: counts since the epoch, digits alone, dates. */
const LATEST = Date.UTC(2100, 0);
const EARLIEST = (format: string): number =>
  Date.UTC(format.startsWith("epoch") ? 1995 : /^[yMdHms]+$/.test(format) ? 1900 : 1000, 0);

/** The format that every value is a time in; undefined where there is none, or no value. */
export function timeOf(values: readonly unknown[]): string | undefined {
  if (values.length === 0) return undefined;
  const found = FORMATS.find(({ name, format }) =>
    values.every((value) => {
      const at = format.parse(value, UTC)?.ms;
      return at !== undefined && at > EARLIEST(name) && at < LATEST;
    }),
  );
  return found?.name;
}

/** Whether every value is a time in words that counts from another time. */
export function areAgo(values: readonly unknown[]): boolean {
  return (
    values.length > 0 &&
    values.every((value) => typeof value === "string" && millisecondsAgo(value) !== undefined)
  );
}

/** Whether a format is one of days and months with slashes, which others write the other way round. */
export function isEitherWay(format: string): boolean {
  return /^[dM]{1,2}\/[dM]{1,2}\/yyyy/.test(format);
}

/** Words of times of something else than the row's own: of those who wrote or sell, of births, ends and offers. */
const OF_OTHERS: ReadonlySet<string> = new Set(
  (
    "user author account profile member seller vendor shop store joined join since birth birthday birthdate born dob " +
    "expire expires expiry expiration deadline due sale offer delivery shipping"
  ).split(" "),
);

/** Whether a time is that of something else than the row, by the words of its path: `user.created_at`, `seller_joined_date`. */
export function isOfOthers(path: string): boolean {
  const words = path.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return words.split(/[^\p{L}\p{N}]+/u).some((word) => OF_OTHERS.has(word));
}
