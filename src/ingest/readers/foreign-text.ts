/** Text that no reader reads: what it is, and what to do. */
export interface ForeignText {
  readonly is: string;
  readonly remedy: string;
}

const HTML = /^<(?:!doctype html|html)\b/i;
const XML = /^<(?:\?xml|!doctype|rss|feed)\b/i;
/** A name that is given a list or an object: `window.data.part0 = [`. */
const SCRIPT = /^(?:(?:var|let|const)\s+)?[\w$.]+(?:\[[^\]\n]{0,80}\])?\s*=\s*[[{]\s*(?:["'{}[\]]|$)/;

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
  if (SCRIPT.test(start)) {
    return {
      is: "is JavaScript: JSON that is given a name",
      remedy: "take what stands before the first [ or { out, and a semicolon at the end; then name it .json",
    };
  }
  return undefined;
}
