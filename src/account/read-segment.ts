import { open } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { findFlippedBit } from "./flipped-bit.js";
import { type Frame, type Gap, isFrame, scanFrames } from "./frame.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { ledgerCorrupt, parseEntry, parseHeader, type SegmentHeader, segmentPath } from "./segment.js";

/** Where a reader stands: behind the last sound entry that it has seen. */
export interface SegmentPosition {
  readonly number: number;
  readonly offset: number;
  /** Number of the last entry before the offset. */
  readonly seq: number;
  /** Inode of the file, to notice that it was put in place of another. */
  readonly inode: bigint;
}

/** What was read of a segment. */
export interface SegmentContent {
  /** Present when it was read from its start. */
  readonly header?: SegmentHeader;
  readonly entries: readonly LedgerEntry[];
  /** Highest number of an entry that is known to have been on disk. */
  readonly synced: number;
  readonly position: SegmentPosition;
  /** A tail that a crash tore before it was known to be on disk: no entry. */
  readonly torn?: Gap;
  /** Bytes that a flipped bit had changed, as they were written. */
  readonly mended: readonly { readonly offset: number; readonly byte: number }[];
}

/** Entries parsed in one go, so that a long ledger does not hold up the event loop. */
const ENTRIES_A_TURN = 1_000;

/**
 * Reads a segment from its start or from a position. `sealed` says that a later segment exists, so that nothing in this
 * one may be torn.
 * @throws LakeError `ledger_corrupt` for damage that is neither a torn tail nor one flipped bit,
 * `ledger_newer_format`; undefined when the file at the position is another, or shorter than it was.
 */
export async function readSegment(
  dir: string,
  number: number,
  options: { readonly from?: SegmentPosition; readonly sealed: boolean },
): Promise<SegmentContent | undefined> {
  const path = segmentPath(dir, number);
  const start = options.from?.offset ?? 0;
  const { bytes, inode } = await readFrom(path, start);
  if (options.from !== undefined && (bytes === undefined || inode !== options.from.inode)) return undefined;
  if (bytes === undefined || bytes.length === 0) {
    if (options.from === undefined) throw ledgerCorrupt(path, 0, "it is empty");
    return { entries: [], synced: 0, position: options.from, mended: [] };
  }

  const parts = [...scanFrames(bytes, start)];
  const entries: LedgerEntry[] = [];
  const mended: { offset: number; byte: number }[] = [];
  let header: SegmentHeader | undefined;
  let { seq, offset } = options.from ?? { seq: 0, offset: 0 };
  let synced = 0;
  let torn: Gap | undefined;

  const take = (frame: Frame): void => {
    if (frame.offset === 0) {
      header = parseHeader(frame, path);
      seq = header.checkpoint.seq;
    } else if (frame.json !== "") {
      const entry = parseEntry(frame);
      if (entry.seq !== seq + 1) {
        throw ledgerCorrupt(path, frame.offset, `entry ${entry.seq} follows entry ${seq}`);
      }
      entries.push(entry);
      seq = entry.seq;
    }
    synced = Math.max(synced, frame.synced);
    offset = frame.end;
  };

  for (const [index, part] of parts.entries()) {
    if (index % ENTRIES_A_TURN === ENTRIES_A_TURN - 1) await nextTurn();
    if (isFrame(part)) {
      take(part);
      continue;
    }
    const flipped = findFlippedBit(bytes.subarray(part.offset - start, part.end - start), part.offset);
    if (flipped !== undefined) {
      flipped.frames.forEach(take);
      mended.push({ offset: part.offset + flipped.offset, byte: flipped.byte });
      continue;
    }
    const later = parts.slice(index + 1).filter(isFrame);
    if (options.sealed || part.offset === 0 || later.some((frame) => frame.synced > seq)) {
      throw ledgerCorrupt(path, part.offset, `${part.end - part.offset} bytes are not what was written`);
    }
    torn = { offset: part.offset, end: start + bytes.length };
    break;
  }
  return {
    header,
    entries,
    synced,
    position: { number, offset, seq, inode },
    torn,
    mended,
  };
}

/** Bytes from an offset to the end; none when the file is shorter than that. */
async function readFrom(path: string, offset: number): Promise<{ bytes?: Buffer; inode: bigint }> {
  const file = await open(path, "r");
  try {
    const { size, ino } = await file.stat({ bigint: true });
    const length = Number(size) - offset;
    if (length < 0) return { inode: ino };
    const bytes = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: bytes.subarray(0, filled), inode: ino };
  } finally {
    await file.close();
  }
}
