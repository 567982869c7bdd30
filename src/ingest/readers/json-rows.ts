import { excerpt } from "./excerpt.js";
import { isJsonSpace, JsonValueEnd } from "./json-value-end.js";

/** The text of one row in a JSON document. */
export interface JsonRow {
  /** 1-based position among the rows of the document. */
  readonly number: number;
  readonly bytes: Buffer;
  /** 1-based line of the document on which the row starts. */
  readonly line: number;
  /** 0-based offset of the row in the document, in bytes. */
  readonly byte: number;
}

/** A malformed document: the reason, and the place. */
export class JsonDocumentError extends Error {
  /** Code of the resulting IngestError. */
  readonly code: "json_malformed" | "json_truncated" | "json_path" | "record_too_large";
  /** 1-based line. */
  readonly line: number;
  /** 0-based offset in the document, in bytes. */
  readonly byte: number;

  constructor(
    code: JsonDocumentError["code"],
    { line, byte }: { readonly line: number; readonly byte: number },
    message: string,
  ) {
    super(message);
    this.code = code;
    this.line = line;
    this.byte = byte;
  }
}

const LF = 0x0a;
const EMPTY = Buffer.alloc(0);

type Expect = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end";

/** An array or object on the path to the rows, or the array of rows itself. */
interface Level {
  readonly array: boolean;
  /** Path segments consumed so far; equal to the path's length for the array of rows. */
  readonly depth: number;
  expect: Expect;
  /** Index of the next element (array), or the last key (object). */
  index: number;
  key: string;
}

/** A value being skipped or kept: a row, or a key of an object. */
interface Span {
  readonly end: JsonValueEnd;
  readonly keep: "row" | "key" | undefined;
  readonly line: number;
  readonly byte: number;
  parts: Buffer[];
  size: number;
}

/**
 * Streaming reader of rows inside one JSON document (RFC 8259); it holds one row at a time. It follows a path of keys and `*`
 * (every element or value; an element's number works too), checks the structure on its way and skips everything else. An array
 * at the end of the path gives one row per element; an object there is one row. With an empty path, several concatenated
 * documents are read.
 */
export class JsonRows {
  private readonly levels: Level[] = [];
  private span: Span | undefined;
  private rootDone = false;
  private line = 1;
  /** Offset of the current chunk in the document. */
  private before = 0;
  private chunk: Buffer = EMPTY;
  private fault: JsonDocumentError | undefined;
  private rows = 0;
  private found = false;
  private readonly rootKeys: string[] = [];

  constructor(
    private readonly path: readonly string[],
    private readonly maxRowBytes: number,
  ) {}

  /**
   * Adds a chunk and returns the rows it completes. A fault behind a row is thrown by the next call.
   * @throws JsonDocumentError
   */
  push(chunk: Buffer): JsonRow[] {
    if (this.fault !== undefined) throw this.fault;
    this.before += this.chunk.length;
    this.chunk = chunk;
    const rows: JsonRow[] = [];
    try {
      this.scan(chunk, rows);
    } catch (error) {
      if (!(error instanceof JsonDocumentError) || rows.length === 0) throw error;
      this.fault = error;
    }
    return rows;
  }

  private scan(chunk: Buffer, rows: JsonRow[]): void {
    let feed = chunk.indexOf(LF);
    let at = 0;
    const countLines = (to: number) => {
      for (; feed >= 0 && feed < to; feed = chunk.indexOf(LF, feed + 1)) this.line++;
    };
    while (at < chunk.length) {
      if (this.span !== undefined) {
        at = this.continueSpan(chunk, at, rows);
        continue;
      }
      const c = chunk[at]!;
      if (isJsonSpace(c)) {
        at++;
        continue;
      }
      countLines(at);
      at = this.token(c, at);
    }
    countLines(chunk.length);
  }

  /** Ends the document. @throws JsonDocumentError if it is truncated, or has nothing at the path */
  end(): void {
    if (this.fault !== undefined) throw this.fault;
    if (this.span !== undefined || this.levels.length > 0 || !this.rootDone) {
      const empty = !this.rootDone && this.levels.length === 0 && this.span === undefined;
      throw new JsonDocumentError(
        "json_truncated",
        this.place(this.chunk.length),
        empty ? "is empty" : "ends in the middle of the document; it is truncated",
      );
    }
    if (!this.found) {
      const keys =
        this.rootKeys.length === 0 ? "" : `; its top level has ${this.rootKeys.slice(0, 12).join(", ")}`;
      throw new JsonDocumentError("json_path", this.place(0), `has nothing at ${this.path.join(".")}${keys}`);
    }
  }

  /** Handles one structural character, or the first byte of a value; returns the offset to continue at. */
  private token(c: number, at: number): number {
    const level = this.levels.at(-1);
    if (level === undefined) return this.value(c, at, 0);
    switch (level.expect) {
      case "colon":
        if (c !== 0x3a) throw this.unexpected(at, '":" after a key');
        level.expect = "value";
        return at + 1;
      case "comma-or-end":
        if (c === (level.array ? 0x5d : 0x7d)) return this.close(at);
        if (c !== 0x2c) throw this.unexpected(at, `"," or "${level.array ? "]" : "}"}"`);
        level.expect = level.array ? "value" : "key";
        return at + 1;
      case "key-or-end":
      case "key":
        if (c === 0x7d && level.expect === "key-or-end") return this.close(at);
        if (c !== 0x22) throw this.unexpected(at, "a key in quotes");
        level.expect = "colon";
        this.open(c, at, "key");
        return at;
      case "value-or-end":
      case "value": {
        if (c === 0x5d && level.expect === "value-or-end") return this.close(at);
        level.expect = "comma-or-end";
        return this.value(c, at, level.depth + 1, level);
      }
    }
  }

  /** Starts a value at `depth` path segments, if its key or number is on the path. */
  private value(c: number, at: number, depth: number, parent?: Level): number {
    if (!(c === 0x7b || c === 0x5b || c === 0x22 || c === 0x2d || (c >= 0x30 && c <= 0x39) || isWord(c))) {
      throw this.unexpected(at, "a JSON value");
    }
    const target = this.path.length;
    if (parent === undefined && this.rootDone && (target > 0 || c !== 0x7b)) {
      throw this.unexpected(at, "the end of the document");
    }
    if (parent === undefined && c !== 0x7b && c !== 0x5b) {
      throw this.unexpected(at, "an array or an object");
    }
    if (parent !== undefined && parent.depth === target) {
      this.open(c, at, "row");
      return at;
    }
    const name = parent === undefined ? undefined : parent.array ? String(parent.index++) : parent.key;
    if (name !== undefined) {
      const segment = this.path[depth - 1];
      if (segment !== "*" && segment !== name) {
        this.open(c, at, undefined);
        return at;
      }
    }
    if (depth === target) {
      if (c !== 0x5b && c !== 0x7b) {
        const where = this.path.join(".");
        throw new JsonDocumentError("json_path", this.place(at), `has neither array nor object at ${where}`);
      }
      this.found = true;
      if (c === 0x7b) {
        this.open(c, at, "row");
        return at;
      }
    } else if (c !== 0x5b && c !== 0x7b) {
      this.open(c, at, undefined);
      return at;
    }
    const array = c === 0x5b;
    this.levels.push({ array, depth, expect: array ? "value-or-end" : "key-or-end", index: 0, key: "" });
    return at + 1;
  }

  private close(at: number): number {
    const level = this.levels.pop()!;
    // `*` matches every element of an empty container.
    if (this.path[level.depth] === "*" && level.index === 0 && level.key === "") this.found = true;
    if (this.levels.length === 0) this.rootDone = true;
    return at + 1;
  }

  private open(first: number, at: number, keep: Span["keep"]): void {
    this.span = { end: new JsonValueEnd(first), keep, ...this.place(at), parts: [], size: 0 };
  }

  private place(at: number): { readonly line: number; readonly byte: number } {
    return { line: this.line, byte: this.before + at };
  }

  private continueSpan(chunk: Buffer, at: number, rows: JsonRow[]): number {
    const span = this.span!;
    const to = span.end.find(chunk, at);
    if (span.keep !== undefined) {
      span.size += to - at;
      if (span.size > this.maxRowBytes) {
        throw new JsonDocumentError(
          "record_too_large",
          span,
          span.keep === "row" ? `element ${this.rows + 1} is too large` : "has a key that is too large",
        );
      }
      span.parts.push(chunk.subarray(at, to));
    }
    if (span.end.done) this.finish(span, rows);
    return to;
  }

  private finish(span: Span, rows: JsonRow[]): void {
    this.span = undefined;
    if (this.levels.length === 0) this.rootDone = true;
    if (span.keep === undefined) return;
    const bytes = span.parts.length === 1 ? span.parts[0]! : Buffer.concat(span.parts);
    if (span.keep === "row") rows.push({ number: ++this.rows, bytes, line: span.line, byte: span.byte });
    else this.levels.at(-1)!.key = this.decodeKey(bytes, span);
  }

  private decodeKey(bytes: Buffer, span: Span): string {
    let key: unknown;
    try {
      key = JSON.parse(bytes.toString("utf8"));
    } catch {
      throw new JsonDocumentError("json_malformed", span, "has a malformed key");
    }
    if (this.levels.length === 1 && this.rootKeys.length <= 12) this.rootKeys.push(String(key));
    return String(key);
  }

  private unexpected(at: number, wanted: string): JsonDocumentError {
    const c = this.chunk[at]!;
    const shown =
      c >= 0x21 && c <= 0x7e ? String.fromCharCode(c) : `byte 0x${c.toString(16).padStart(2, "0")}`;
    const message = `has ${shown} where it needs ${wanted}: ${excerpt(this.chunk, at)}`;
    return new JsonDocumentError("json_malformed", this.place(at), message);
  }
}

/** First bytes of `true`, `false`, `null`, and of `NaN` and `Infinity`, which Python writes. */
function isWord(c: number): boolean {
  return c === 0x74 || c === 0x66 || c === 0x6e || c === 0x4e || c === 0x49;
}
