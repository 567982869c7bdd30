import { type FileHandle, open } from "node:fs/promises";
import type { SegmentContent } from "./read-segment.js";
import { segmentPath } from "./segment.js";

/**
 * Writes to disk what reading has found: bytes that a flipped bit had changed are put right, and a tail that a crash tore is
 * cut off. `notice` is told of each.
 */
export async function mendSegments(
  dir: string,
  contents: readonly SegmentContent[],
  notice: (message: string) => void,
): Promise<void> {
  for (const { position, mended, torn } of contents) {
    if (mended.length === 0 && torn === undefined) continue;
    const path = segmentPath(dir, position.number);
    const file = await open(path, "r+");
    try {
      for (const { offset, byte } of mended) {
        await writeByte(file, offset, byte);
        notice(`${path}: put right a flipped bit in byte ${offset}`);
      }
      if (torn !== undefined) {
        await file.truncate(torn.offset);
        notice(
          `${path}: cut off ${torn.end - torn.offset} bytes at byte ${torn.offset} that a crash left unfinished`,
        );
      }
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

async function writeByte(file: FileHandle, offset: number, byte: number): Promise<void> {
  await file.write(Uint8Array.of(byte), 0, 1, offset);
}
