import { NETWORK_DEFAULTS } from "./defaults.js";

/** A body that has more bytes than it may have. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";

  /** @param maxBytes what it may have */
  constructor(readonly maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes`);
  }
}

/**
 * Reads a body to its end into one array. Pieces are copied, because a server can send them one byte at a time, and each
 * piece costs hundreds.
 * @throws BodyTooLarge when more than `maxBytes` come; what the body throws
 */
export async function collectBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  let bytes = new Uint8Array(Math.min(maxBytes, NETWORK_DEFAULTS.firstBodyBytes));
  let size = 0;
  for await (const piece of body) {
    const needed = size + piece.length;
    if (needed > maxBytes) throw new BodyTooLarge(maxBytes);
    if (needed > bytes.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, 2 * bytes.length)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(piece, size);
    size = needed;
  }
  return bytes.subarray(0, size);
}
