import { type Frame, isFrame, scanFrames } from "./frame.js";

/** Longer damage than this is no flipped bit in a line or two, and not worth the search. */
const MAX_BYTES = 1024;

/** The one bit whose flip turns damaged bytes into whole frames. */
export interface FlippedBit {
  /** Offset of the byte within the damaged bytes. */
  readonly offset: number;
  /** The byte as it was written. */
  readonly byte: number;
  readonly frames: readonly Frame[];
}

/**
 * Finds the single flipped bit in damaged bytes, if that is what they suffer from. CRC-32 tells any two lines of this
 * length apart that differ in up to three bits, so there is at most one answer (Koopman, "32-Bit Cyclic Redundancy
 * Codes for Internet Applications", 2002). `base` is the file offset of the first byte.
 */
export function findFlippedBit(damaged: Buffer, base: number): FlippedBit | undefined {
  if (damaged.length > MAX_BYTES) return undefined;
  const bytes = Buffer.from(damaged);
  for (let offset = 0; offset < bytes.length; offset++) {
    const found = bytes[offset] as number;
    for (let bit = 1; bit < 256; bit <<= 1) {
      bytes[offset] = found ^ bit;
      const frames = wholeFrames(bytes, base);
      if (frames !== undefined) return { offset, byte: found ^ bit, frames };
    }
    bytes[offset] = found;
  }
  return undefined;
}

function wholeFrames(bytes: Buffer, base: number): readonly Frame[] | undefined {
  const frames: Frame[] = [];
  for (const part of scanFrames(bytes, base)) {
    if (!isFrame(part)) return undefined;
    frames.push(part);
  }
  return frames;
}
