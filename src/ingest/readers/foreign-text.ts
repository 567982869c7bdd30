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
