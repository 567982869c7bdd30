import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LakeError } from "../../contract/errors.js";
import { LedgerEntry, MicroText } from "../ledger-entry.js";
import { scanOldFrames } from "./old-frame.js";

const NAME = /^ledger-(\d{6,})\.log$/;

/** First line of a segment: the totals of all segments before it. */
const Header = z.object({
  format: z.literal("mirrorlake-ledger"),
  version: z.literal(1),
  checkpoint: z.object({ seq: z.number().int(), balance: MicroText }),
});

/** An entry of release 0.1.0. `rated` marks calls counted by the rate window. */
const OldEntry = LedgerEntry.extend({ rated: z.literal(true).optional() });
export type OldEntry = z.infer<typeof OldEntry>;

/** Lists the segment files of an account folder, in order; empty if there is no such folder. */
export async function oldSegments(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  return names
    .filter((name) => NAME.test(name))
    .sort((a, b) => Number(NAME.exec(a)?.[1]) - Number(NAME.exec(b)?.[1]));
}

/**
 * Yields the entries of each segment in turn and checks every number and running balance. An incomplete line at the end
 * of the last segment, left by a crash, is ignored.
 * @throws LakeError `ledger_corrupt`
 */
export async function* readOldEntries(
  dir: string,
  segments: readonly string[],
): AsyncGenerator<readonly OldEntry[]> {
  let seq = 0;
  let balance = 0n;
  for (const [index, name] of segments.entries()) {
    const path = join(dir, name);
    const isLast = index === segments.length - 1;
    const frames = [...scanOldFrames(await readFile(path))];
    const whole = frames.indexOf(undefined) < 0 ? frames : frames.slice(0, frames.indexOf(undefined));
    const [first, ...rest] = whole.filter((frame) => frame !== undefined);
    const header = Header.safeParse(first === undefined ? undefined : JSON.parse(first.json)).data;
    if (header === undefined) throw corrupt(path, 0, "its first line is unreadable");
    if (header.checkpoint.seq !== seq || BigInt(header.checkpoint.balance) !== balance)
      throw corrupt(path, 0, "it does not begin where the segment before it ends");
    const entries: OldEntry[] = [];
    for (const { json, offset } of rest) {
      if (json === "") continue;
      const entry = OldEntry.parse(JSON.parse(json));
      balance += BigInt(entry.amount);
      seq += 1;
      if (entry.seq !== seq || BigInt(entry.balance) !== balance)
        throw corrupt(path, offset, `entry ${entry.seq} does not follow from the one before it`);
      entries.push(entry);
    }
    // Damage is an incomplete end only if no valid line after it states that the damaged entry was on disk.
    const damage = frames.slice(whole.length);
    const known = Math.max(0, ...damage.map((frame) => frame?.synced ?? 0));
    if (damage.length > 0 && (!isLast || known > seq))
      throw corrupt(path, rest.at(-1)?.offset ?? 0, "bytes after this one are not what was written");
    yield entries;
  }
}

function corrupt(path: string, offset: number, why: string): LakeError {
  return new LakeError("ledger_corrupt", `The ledger file ${path} is damaged at byte ${offset}: ${why}`, {
    value: { path, offset },
    remedy: "Restore the file from a backup, or run `account repair` of mirrorlake 0.1.0, which wrote it.",
  });
}
