import { type ExactJson, Members, Verbatim } from "./exact-json.js";

/** Numbers in a row from which on they are kept as one text. */
const LEAST_VECTOR = 16;
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?\d[\d.eE+-]*/y;
const NUMBERS = /\[[\d.eE+\-, \t\n\r]*\]/y;
/** What a number may have that is greater than any double. */
const BEYOND_DOUBLES = /[eE]\+?\d{3}|\d{309}/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Parses JSON, and keeps what values of JavaScript lose; see {@link ExactJson}.
 * @throws SyntaxError as `JSON.parse`
 */
export function parseExactJson(text: string): ExactJson {
  JSON.parse(text); // what follows relies on a valid text
  return new Parser(text).value();
}

/** {@link parseExactJson}; undefined for a text that is no JSON. */
export function exactJsonOf(text: string): ExactJson | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined; // it is kept as text
  }
}

class Parser {
  private at = 0;

  constructor(private readonly text: string) {}

  value(): ExactJson {
    this.skip(SPACE);
    const found = this.found();
    this.skip(SPACE);
    return found;
  }

  private found(): ExactJson {
    switch (this.text[this.at]) {
      case "{":
        return this.object();
      case "[":
        return this.vector() ?? this.list();
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return new Verbatim(this.skip(NUMBER));
    }
  }

  private object(): Members {
    const entries: (readonly [string, ExactJson])[] = [];
    this.at += 1;
    this.skip(SPACE);
    while (this.text[this.at] !== "}") {
      this.skip(SPACE);
      const name = this.string();
      this.skip(SPACE);
      this.at += 1; // the colon
      entries.push([name, this.value()]);
      if (this.text[this.at] === ",") this.at += 1;
    }
    this.at += 1;
    return new Members(entries);
  }

  private list(): ExactJson[] {
    const items: ExactJson[] = [];
    this.at += 1;
    this.skip(SPACE);
    while (this.text[this.at] !== "]") {
      items.push(this.value());
      if (this.text[this.at] === ",") this.at += 1;
    }
    this.at += 1;
    return items;
  }

  /** A list of many numbers that doubles hold; undefined for another list. */
  private vector(): Verbatim | undefined {
    const start = this.at;
    const text = this.skip(NUMBERS);
    if (isLong(text) && !BEYOND_DOUBLES.test(text)) return new Verbatim(text.replace(/\s+/g, ""));
    this.at = start;
    return undefined;
  }

  private string(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    while (isEscaped(this.text, end)) end = this.text.indexOf('"', end + 1);
    this.at = end + 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private word<T>(word: string, value: T): T {
    this.at += word.length;
    return value;
  }

  /** Moves over what a pattern finds here, and returns it. */
  private skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [found = ""] = pattern.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }
}

/** Whether a list of numbers is a vector. */
function isLong(list: string): boolean {
  let comma = -1;
  for (let numbers = 1; numbers < LEAST_VECTOR; numbers += 1) {
    comma = list.indexOf(",", comma + 1);
    if (comma < 0) return false;
  }
  return true;
}

/** Whether the quote at a place is part of the string: an odd number of backslashes is before it. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return text.charCodeAt(quote) === QUOTE && (quote - 1 - before) % 2 === 1;
}
