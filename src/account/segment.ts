import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LakeError } from "../contract/errors.js";
import { encodeFrame, type Frame, isFrame, scanFrames } from "./frame.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { LedgerCheckpoint } from "./ledger-state.js";
import { replaceFile } from "./replace-file.js";

const VERSION = 1;
/** More than a header can take: its months are 20 bytes each. */
const HEADER_BYTES = 64 * 1024;

/** The first line of a ledger segment: what all segments before it add up to. */
const SegmentHeader = z.strictObject({
  format: z.literal("mirrorlake-ledger"),
  version: z.number().int(),
  account: z.string(),
  checkpoint: LedgerCheckpoint,
});
export type SegmentHeader = Readonly<z.infer<typeof SegmentHeader>>;

const NAME = /^ledger-(\d{6,})\.log$/;

/** Path of a segment, numbered from 1. */
export function segmentPath(dir: string, number: number): string {
  return join(dir, `ledger-${String(number).padStart(6, "0")}.log`);
}

/** Numbers of the segments in a folder, ascending; none when there is no such folder. */
export async function listSegments(dir: string): Promise<number[]> {
  let names: string[];
  try {
    names = await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names
    .map((name) => Number(NAME.exec(name)?.[1]))
    .filter((number) => number > 0)
    .sort((a, b) => a - b);
}

/** Makes the segment file, whole or not at all. */
export async function createSegment(
  dir: string,
  number: number,
  account: string,
  checkpoint: LedgerCheckpoint,
): Promise<void> {
  await replaceFile(segmentPath(dir, number), encodeFrame(checkpoint.seq, encodeHeader(account, checkpoint)));
}

/** JSON of a segment's first line. */
export function encodeHeader(account: string, checkpoint: LedgerCheckpoint): string {
  const header: SegmentHeader = { format: "mirrorlake-ledger", version: VERSION, account, checkpoint };
  return JSON.stringify(header);
}

/** The first line of a segment. @throws LakeError `ledger_corrupt`, `ledger_newer_format` */
export async function readHeader(dir: string, number: number): Promise<SegmentHeader> {
  const path = segmentPath(dir, number);
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const [first] = scanFrames(buffer.subarray(0, bytesRead));
    if (first === undefined || !isFrame(first)) throw ledgerCorrupt(path, 0, "its first line is unreadable");
    return parseHeader(first, path);
  } finally {
    await file.close();
  }
}

/** @throws LakeError `ledger_newer_format`, `ledger_corrupt` */
export function parseHeader(frame: Frame, path: string): SegmentHeader {
  const content: unknown = JSON.parse(frame.json);
  const version = z.object({ version: z.number() }).safeParse(content).data?.version ?? VERSION;
  if (version > VERSION) {
    throw new LakeError("ledger_newer_format", `${path} has ledger format ${version}`, {
      value: version,
      remedy: `This release reads format ${VERSION}: upgrade mirrorlake.`,
    });
  }
  const parsed = SegmentHeader.safeParse(content);
  if (!parsed.success) throw ledgerCorrupt(path, frame.offset, z.prettifyError(parsed.error));
  return parsed.data;
}

/** The entry in a frame: its checksum says that it is what was written, so its shape is not checked again. */
export function parseEntry(frame: Frame): LedgerEntry {
  return JSON.parse(frame.json) as LedgerEntry;
}

/** The error for a ledger that cannot be trusted. */
export function ledgerCorrupt(path: string, offset: number, why: string): LakeError {
  return new LakeError("ledger_corrupt", `The ledger file ${path} is damaged at byte ${offset}: ${why}`, {
    value: { path, offset },
    remedy:
      "Restore the file from a backup, or run `mirrorlake account repair`, which keeps all that can be read.",
  });
}
