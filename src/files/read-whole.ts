import { open } from "node:fs/promises";

/** Bytes per read: some systems allow at most 2³¹ − 1. */
const CALL = 1 << 30;

/**
 * Reads a file into a buffer of its own, which typed arrays can view, in one read: `readFile` goes through the event loop for each half
 * megabyte.
 * @throws the system's error, such as ENOENT; RangeError if the file becomes shorter meanwhile
 */
export async function readWhole(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = new Uint8Array(size);
    for (let done = 0; done < size; ) {
      const { bytesRead } = await file.read(bytes, done, Math.min(CALL, size - done), done);
      if (bytesRead === 0) throw new RangeError(`${path} ends at byte ${done}: it is truncated`);
      done += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}
