import { crc32 } from "node:zlib";

/**
 * One checksummed line of a ledger file: `<CRC-32, 8 hex digits> <synced> <JSON>\n`. `synced` is the number of the last
 * entry that was known to be on disk when the line was written: what lies after it may be torn by a crash, what
 * lies before may not. A line whose JSON is empty says only that.
 */
export interface Frame {
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Offset behind the line's newline. */
  readonly end: number;
  readonly synced: number;
  readonly json: string;
}

/** Bytes that are no frame, between frames or behind the last. */
export interface Gap {
  readonly offset: number;
  readonly end: number;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const CRC_DIGITS = 8;

/** The line for a JSON text without newlines. */
export function encodeFrame(synced: number, json: string): string {
  // ASCII alone: a byte of the file is a character of the text.
  const body = `${synced} ${json.replace(/[\u0080-\uffff]/g, escapeCharacter)}`;
  return `${crc32(body).toString(16).padStart(CRC_DIGITS, "0")} ${body}\n`;
}

/** Splits bytes into frames and gaps, in order. `base` is the file offset of the first byte. */
export function* scanFrames(bytes: Buffer, base = 0): Generator<Frame | Gap> {
  let gapStart: number | undefined;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    const frame = newline < 0 ? undefined : decode(bytes, start, newline, base);
    if (frame === undefined) gapStart ??= start;
    else {
      if (gapStart !== undefined) yield { offset: base + gapStart, end: base + start };
      gapStart = undefined;
      yield frame;
    }
    start = end;
  }
  if (gapStart !== undefined) yield { offset: base + gapStart, end: base + bytes.length };
}

/** Tells a frame from a gap. */
export function isFrame(part: Frame | Gap): part is Frame {
  return "json" in part;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function decode(bytes: Buffer, start: number, newline: number, base: number): Frame | undefined {
  const bodyStart = start + CRC_DIGITS + 1;
  if (bodyStart >= newline || bytes[bodyStart - 1] !== SPACE) return undefined;
  let written = 0;
  for (let i = start; i < bodyStart - 1; i++) {
    const digit = hexDigit(bytes[i] as number);
    if (digit < 0) return undefined;
    written = written * 16 + digit;
  }
  if (crc32(bytes.subarray(bodyStart, newline)) !== written) return undefined;
  let synced = 0;
  let at = bodyStart;
  for (; at < newline && bytes[at] !== SPACE; at++) synced = synced * 10 + ((bytes[at] as number) - 0x30);
  if (!Number.isSafeInteger(synced)) return undefined;
  return {
    offset: base + start,
    end: base + newline + 1,
    synced,
    json: bytes.toString("latin1", at + 1, newline),
  };
}

/** Value of a lower-case hexadecimal digit, or -1. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}
