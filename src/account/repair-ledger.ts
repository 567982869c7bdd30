import { copyFile, mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { LakeError } from "../contract/errors.js";
import { type MicroUsd, micros } from "../contract/money.js";
import { ACCOUNT_FOLDER, ACCOUNT_ID } from "./defaults.js";
import { findFlippedBit } from "./flipped-bit.js";
import { encodeFrame, type Frame, isFrame, scanFrames } from "./frame.js";
import type { LedgerEntry } from "./ledger-entry.js";
import { type LedgerCheckpoint, LedgerState } from "./ledger-state.js";
import { replaceFile, syncDirectory } from "./replace-file.js";
import { encodeHeader, listSegments, parseEntry, parseHeader, segmentPath } from "./segment.js";
import { WriterLock } from "./writer-lock.js";

/** What a repair found and did. */
export interface LedgerRepair {
  /** Files that were rewritten; as they were, they are kept in `account/damaged/`. */
  readonly rewritten: readonly string[];
  /** Entries that could not be read any more. */
  readonly lostEntries: number;
  /** What the lost entries had added to the balance, known from the balances that their successors state. */
  readonly adjusted: MicroUsd;
}

/**
 * Makes a damaged ledger whole again: all that can be read is kept, and in the place of entries that cannot, `adjustment`
 * entries carry the difference, so that the balance is the sum as before. A damaged end is cut off.
 * @throws LakeError `account_busy`, `ledger_corrupt` when what is left contradicts itself
 */
export async function repairLedger(lake: string): Promise<LedgerRepair> {
  const dir = join(lake, ACCOUNT_FOLDER);
  const lock = new WriterLock(join(dir, "lock"));
  await lock.acquire();
  try {
    return await repairSegments(dir);
  } finally {
    await lock.release();
  }
}

async function repairSegments(dir: string): Promise<LedgerRepair> {
  const numbers = await listSegments(dir);
  let state: LedgerState | undefined;
  let lostEntries = 0;
  let adjusted = 0n;
  const rewritten: string[] = [];
  for (const [index, number] of numbers.entries()) {
    const { path, checkpoint, entries, damaged } = await readSound(dir, number);
    const sums = state ?? new LedgerState(checkpoint);
    const lines = [encodeFrame(sums.seq, encodeHeader(ACCOUNT_ID, sums.checkpoint()))];
    const lostBefore = lostEntries;
    const write = (entry: LedgerEntry): void => {
      sums.apply(entry);
      lines.push(encodeFrame(entry.seq - 1, JSON.stringify(entry)));
    };
    const bridge = (seq: number, balance: bigint, at: number): void => {
      if (seq < sums.seq) throw contradiction(path, seq);
      lostEntries += seq - sums.seq;
      adjusted += balance - sums.balance;
      while (sums.seq < seq) write(adjustment(sums, balance, at));
      if (sums.balance !== balance) throw contradiction(path, seq);
    };
    for (const entry of entries) {
      bridge(entry.seq - 1, BigInt(entry.balance) - BigInt(entry.amount), entry.at);
      write(entry);
    }
    const following = numbers[index + 1];
    const next = following === undefined ? undefined : (await readSound(dir, following)).checkpoint;
    if (next !== undefined) bridge(next.seq, BigInt(next.balance), next.latest_at);
    // The next segment's sums know of lost top-ups and free calls too.
    state = next === undefined ? sums : new LedgerState(next);
    if (!damaged && lostEntries === lostBefore) continue;
    await keepDamaged(dir, path);
    await replaceFile(path, lines.join(""));
    rewritten.push(path);
  }
  return { rewritten, lostEntries, adjusted: micros(adjusted) };
}

/** Stands for one lost entry; the first of several carries what they all had added. */
function adjustment(state: LedgerState, balance: bigint, at: number): LedgerEntry {
  return {
    seq: state.seq + 1,
    at,
    kind: "adjustment",
    amount: (balance - state.balance).toString(),
    balance: balance.toString(),
    reference: "in place of an entry that was damaged",
  };
}

interface Sound {
  readonly path: string;
  readonly checkpoint?: LedgerCheckpoint;
  readonly entries: readonly LedgerEntry[];
  /** Whether any bytes of the file are not as they were written. */
  readonly damaged: boolean;
}

async function readSound(dir: string, number: number): Promise<Sound> {
  const path = segmentPath(dir, number);
  const bytes = await readFile(path);
  const frames: Frame[] = [];
  let damaged = false;
  for (const part of scanFrames(bytes)) {
    if (isFrame(part)) {
      frames.push(part);
      continue;
    }
    damaged = true;
    frames.push(...(findFlippedBit(bytes.subarray(part.offset, part.end), part.offset)?.frames ?? []));
  }
  const entries = frames.filter((frame) => frame.offset > 0 && frame.json !== "").map(parseEntry);
  const [first] = frames;
  return first?.offset === 0
    ? { path, checkpoint: parseHeader(first, path).checkpoint, entries, damaged }
    : { path, entries, damaged };
}

async function keepDamaged(dir: string, path: string): Promise<void> {
  const folder = join(dir, "damaged");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await copyFile(path, join(folder, `${basename(path)}.${Date.now()}`));
  await syncDirectory(folder);
}

function contradiction(path: string, seq: number): LakeError {
  return new LakeError("ledger_corrupt", `What is left of ${path} contradicts itself at entry ${seq}`, {
    value: { path, seq },
    remedy: "Restore the account folder from a backup.",
  });
}
