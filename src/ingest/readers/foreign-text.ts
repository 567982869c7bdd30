/** Text that no reader reads: what it is, and what to do. */
export interface ForeignText {
  readonly is: string;
  readonly remedy: string;
}

const HTML = /^<(?:!doctype html|html)\b/i;
const XML = /^<(?:\?xml|!doctype|rss|feed)\b/i;
/** A name that is given a list or an object: `window.data.part0 = [`. */
const SCRIPT = /^(?:(?:var|let|const)\s+)?[\w$.]+(?:\[[^\]\n]{0,80}\])?\s*=\s*[[{]\s*(?:["'{}[\]]|$)/;

/** Characters behind the comments that tell SQL. */
const SQL_CHARS = 200;
const WARC = /^WARC\/\d/;
/** What dumps of databases begin with, behind their comments. */
const SQL =
  /^(?:(?:CREATE|DROP)\s+(?:TABLE|DATABASE|SCHEMA)|INSERT\s+(?:OR\s+\w+\s+)?INTO|SET\s+\w+\s*=|PRAGMA\s+\w+|BEGIN\s+TRANSACTION|LOCK\s+TABLES)\b/i;
const SQL_COMMENT = /\s*(?:--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/;?)/y;

function isSql(start: string): boolean {
  SQL_COMMENT.lastIndex = 0;
  let end = 0;
  while (SQL_COMMENT.test(start)) end = SQL_COMMENT.lastIndex;
  return SQL.test(start.slice(end, end + SQL_CHARS).trimStart());
}

/** Tells a text by its start, without a byte order mark and leading space; undefined for what may be rows. */
export function foreignText(start: string): ForeignText | undefined {
  if (HTML.test(start)) {
    return {
      is: "is HTML",
      remedy: "fetch the data itself, or convert it to CSV, JSON or JSON lines first",
    };
  }
  if (XML.test(start)) {
    return { is: "is XML", remedy: "convert it to CSV, JSON or JSON lines first: XML is not read" };
  }
  if (WARC.test(start))
    return { is: "is a web archive (WARC)", remedy: "take its pages or texts out as JSON lines first" };
  if (isSql(start)) {
    return {
      is: "is SQL",
      remedy: "load it into a database, and export its tables as CSV or Parquet",
    };
  }
  if (SCRIPT.test(start)) {
    return {
      is: "is JavaScript: JSON that is given a name",
      remedy: "take what stands before the first [ or { out, and a semicolon at the end; then name it .json",
    };
  }
  return undefined;
}

/** Encodings that texts other than UTF-8 are in, characters that are frequent in the texts that use each, and their least share. */
const ENCODINGS: readonly (readonly [string, RegExp, number])[] = [
  ["SHIFT_JIS", /[のにはをがでとしたるいますんな]/gu, 0.05],
  ["EUC-JP", /[のにはをがでとしたるいますんな]/gu, 0.05],
  ["EUC-KR", /[이가는을를의에도고하다지서기로한]/gu, 0.05],
  ["GB18030", /[的一是不了在有我这个们来到时大地为子中你说名价店人好]/gu, 0.05],
  ["BIG5", /[的一是不了在有我這個們來到時大地為子中你說名價店人好]/gu, 0.05],
  ["WINDOWS-1251", /[оеаинтсрвл]/giu, 0.4],
];
/** Bytes that are looked at. */
const MAX_BYTES = 65_536;

/** The encoding that a text most likely is in, which is not UTF-8; undefined where nothing shows it. */
export function likelyEncoding(lines: Buffer): string | undefined {
  let best: { readonly name: string; readonly share: number } | undefined;
  for (const [name, frequent, least] of ENCODINGS) {
    const text = decoded(lines.subarray(0, MAX_BYTES), name);
    const others = text?.match(/\P{ASCII}+/gu) ?? [];
    const chars = others.join("");
    // A letter with an accent here and there is of a western text.
    const share = chars.length < 2 * others.length ? 0 : (chars.match(frequent)?.length ?? 0) / chars.length;
    if (share >= least && share > (best?.share ?? 0)) best = { name, share };
  }
  return best?.name;
}

/** What the bytes are in an encoding, without the end, where a character may be cut; undefined where they are no text in it. */
function decoded(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined; // no text in this encoding, or one that the runtime does not know
  }
}
