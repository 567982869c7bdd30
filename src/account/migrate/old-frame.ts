import { crc32 } from "node:zlib";

/** One line of a ledger file of release 0.1.0: `<CRC-32, 8 hex digits> <synced> <JSON>\n`. */
export interface OldFrame {
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Number of the last entry known to be on disk when the line was written. */
  readonly synced: number;
  /** The entry; empty in a line that only updates `synced`. */
  readonly json: string;
}

const NEWLINE = 0x0a;

/** Yields the lines of a file; undefined for bytes that are not a valid line. */
export function* scanOldFrames(bytes: Buffer): Generator<OldFrame | undefined> {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    yield newline < 0 ? undefined : decode(bytes, start, newline);
    if (newline < 0) return;
    start = newline + 1;
  }
}

function decode(bytes: Buffer, start: number, newline: number): OldFrame | undefined {
  const match = /^([0-9a-f]{8}) ((\d+) (.*))$/.exec(bytes.toString("latin1", start, newline));
  if (match === null) return undefined;
  const [, checksum = "", body = "", synced, json = ""] = match;
  if (crc32(body) !== Number.parseInt(checksum, 16)) return undefined;
  return { offset: start, synced: Number(synced), json };
}
