import { MAX_CSV_FIELDS } from "../defaults.js";

/** One record of delimited text. */
export interface CsvRecord {
  /** 1-based line on which the record starts; quoted line breaks count. */
  readonly line: number;
  readonly fields: readonly string[];
  /** Length in the source, bytes. */
  readonly bytes: number;
  /** Why the record is malformed; absent if it is not. */
  readonly problem?: string;
}

const LF = 0x0a;
const CR = 0x0d;

/** State of the parser within a record. */
enum State {
  FieldStart,
  Plain,
  Quoted,
  /** After a quote in a quoted field: its end, or half of a doubled quote. */
  QuoteSeen,
}

/**
 * Streaming parser of delimited text (RFC 4180): fields may be quoted, a doubled quote stands for a quote, quoted fields keep
 * their line breaks. Lines end in LF or CRLF, or in CRs and LF, as programs write that make CRLF of CRLF's LF. A quote inside an unquoted field is an ordinary character. Text after a closing
 * quote makes the record malformed. Empty lines are not records.
 *
 * It works on bytes and buffers at most one unfinished record. Input must be valid UTF-8 cut at line ends.
 */
export class CsvParser {
  private readonly delimiter: number;
  /** The other bytes of a delimiter of several characters. */
  private readonly delimiterRest: readonly number[];
  private readonly quote: number;
  private buffer: Buffer = Buffer.alloc(0);
  private position = 0;
  private state = State.FieldStart;
  private line = 1;
  private problem: string | undefined;
  private recordStart = 0;
  private recordLine = 1;
  /** Line of the quote that opened the current field. */
  private quoteLine = 1;
  private fieldStart = 0;
  /** Bitwise OR of the record's bytes: below 0x80 the record is ASCII. */
  private bits = 0;
  private doubled = false;
  /** Start, end, and 1 or 0 for "holds doubled quotes", for each finished field. */
  private spans: number[] = [];

  /**
   * @param delimiter one or several ASCII characters
   * @param quote undefined if nothing is quoted
   */
  constructor(delimiter: string, quote: string | undefined) {
    this.delimiter = delimiter.charCodeAt(0);
    this.delimiterRest = [...Buffer.from(delimiter, "latin1").subarray(1)];
    this.quote = quote === undefined ? -1 : quote.charCodeAt(0);
  }

  /** Buffered bytes of the unfinished record. */
  get pendingBytes(): number {
    return this.buffer.length - this.recordStart;
  }

  /** Line that opened the quoted field which is still open, if any. */
  get openQuoteLine(): number | undefined {
    return this.state === State.Quoted ? this.quoteLine : undefined;
  }

  /** Adds text and returns the records it completes. */
  push(bytes: Buffer): CsvRecord[] {
    this.append(bytes);
    const records: CsvRecord[] = [];
    this.scan(records);
    return records;
  }

  /** Ends the text and returns a last record without a line end. A quoted field that is still open makes it malformed. */
  end(): CsvRecord[] {
    if (this.position === this.recordStart && this.state === State.FieldStart && this.spans.length === 0)
      return [];
    if (this.state === State.FieldStart) this.fieldStart = this.position;
    if (this.state === State.Quoted)
      this.problem = `a quote opened on line ${this.quoteLine} is never closed`;
    this.endField(this.position);
    const records: CsvRecord[] = [];
    this.endRecord(this.position, records);
    return records;
  }

  private append(bytes: Buffer): void {
    const done = this.recordStart;
    this.buffer = done === this.buffer.length ? bytes : Buffer.concat([this.buffer.subarray(done), bytes]);
    this.position -= done;
    this.fieldStart -= done;
    this.spans = this.spans.map((value, i) => (i % 3 === 2 ? value : value - done));
    this.recordStart = 0;
  }

  private scan(records: CsvRecord[]): void {
    const { buffer, delimiter, quote } = this;
    const { length } = buffer;
    const width = 1 + this.delimiterRest.length;
    let at = this.position;
    let bits = this.bits;
    while (at < length) {
      let c = buffer[at]!;
      if (this.state === State.FieldStart) {
        this.fieldStart = at;
        this.doubled = false;
        if (c === quote) {
          this.state = State.Quoted;
          this.quoteLine = this.line;
          this.fieldStart = ++at;
          continue;
        }
        this.state = State.Plain;
      }
      if (this.state === State.Quoted) {
        while (c !== quote) {
          if (c === LF) this.line++;
          bits |= c;
          if (++at === length) break;
          c = buffer[at]!;
        }
        if (at < length) {
          this.state = State.QuoteSeen;
          at++;
        }
        continue;
      }
      if (this.state === State.QuoteSeen) {
        if (c === quote) {
          this.doubled = true;
          this.state = State.Quoted;
          at++;
          continue;
        }
        const next = c === CR ? this.afterReturns(at) : at;
        if (buffer[next] === LF) {
          at = next;
          c = LF;
        }
        if (c === LF || (c === delimiter && (width === 1 || this.isDelimiter(at)))) this.endQuoted(at, c);
        else {
          this.problem ??= "has text after a closing quote";
          this.state = State.Plain;
          continue;
        }
      } else {
        while (c !== LF && !(c === delimiter && (width === 1 || this.isDelimiter(at)))) {
          bits |= c;
          if (++at === length) break;
          c = buffer[at]!;
        }
        if (at === length) break;
        this.endField(c === LF ? this.beforeReturns(at) : at);
      }
      at += c === LF ? 1 : width;
      this.state = State.FieldStart;
      if (c === LF) {
        this.line++;
        this.bits = bits;
        this.endRecord(at, records);
        bits = 0;
      }
    }
    this.position = at;
    this.bits = bits;
  }

  /** Whether a delimiter stands where its first byte is. */
  private isDelimiter(at: number): boolean {
    return this.delimiterRest.every((byte, i) => this.buffer[at + 1 + i] === byte);
  }

  /** Ends a quoted field; `at` is the delimiter or line end right after its closing quote. */
  private endQuoted(at: number, c: number): void {
    this.addSpan(this.fieldStart, (c === LF ? this.beforeReturns(at) : at) - 1);
  }

  /** Where the carriage returns before a line feed begin; the line feed's own place where there are none. */
  private beforeReturns(at: number): number {
    let end = at;
    while (end > this.fieldStart && this.buffer[end - 1] === CR) end--;
    return end;
  }

  private afterReturns(at: number): number {
    let next = at;
    while (this.buffer[next] === CR) next++;
    return next;
  }

  private endField(end: number): void {
    if (this.state === State.QuoteSeen) this.addSpan(this.fieldStart, end - 1);
    else this.addSpan(this.fieldStart, Math.max(end, this.fieldStart));
  }

  private addSpan(start: number, end: number): void {
    if (this.spans.length < 3 * MAX_CSV_FIELDS) this.spans.push(start, end, this.doubled ? 1 : 0);
    else this.problem ??= `has more than ${MAX_CSV_FIELDS} fields`;
  }

  private endRecord(end: number, records: CsvRecord[]): void {
    const { spans, recordStart } = this;
    const blank = spans.length === 3 && spans[0] === spans[1] && this.buffer[recordStart] !== this.quote;
    if (!blank) {
      records.push({
        line: this.recordLine,
        fields: this.decode(end),
        bytes: end - recordStart,
        problem: this.problem,
      });
    }
    this.spans = [];
    this.bits = 0;
    this.problem = undefined;
    this.state = State.FieldStart;
    this.recordStart = end;
    this.recordLine = this.line;
  }

  /** Decodes an ASCII record once and slices it; else each field apart. No field keeps more than its record alive. */
  private decode(end: number): string[] {
    const { spans, buffer, recordStart } = this;
    const whole = this.bits < 0x80 ? buffer.toString("latin1", recordStart, end) : undefined;
    const quote = String.fromCharCode(this.quote);
    const fields: string[] = [];
    for (let i = 0; i < spans.length; i += 3) {
      const from = spans[i]!;
      const to = spans[i + 1]!;
      const text =
        whole === undefined
          ? buffer.toString("utf8", from, to)
          : whole.slice(from - recordStart, to - recordStart);
      fields.push(spans[i + 2] === 1 ? text.replaceAll(quote + quote, quote) : text);
    }
    return fields;
  }
}
