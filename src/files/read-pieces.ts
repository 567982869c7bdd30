import { open } from "node:fs/promises";

/** Bytes of a piece: 1 MiB. */
const READ_BYTES = 1 << 20;

/**
 * Reads a file in pieces of at most 1 MiB. All pieces are in one buffer, as large as the file needs: a piece is valid until the next
 * is asked for.
 */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, 1), READ_BYTES));
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
