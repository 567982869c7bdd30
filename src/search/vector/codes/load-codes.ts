import { stat } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { readNumbers, withFile } from "../../numbers/number-file.js";

const PIECE = 8 * 1024 * 1024;

/**
 * Fills an array with a file's first bytes, in pieces.
 * @throws RangeError if the file is too short.
 */
export async function loadCodes(path: string, into: Uint8Array): Promise<void> {
  await withFile(path, "r", async (descriptor) => {
    for (let at = 0; at < into.length; at += PIECE) {
      readNumbers(descriptor, at, into.subarray(at, at + PIECE));
      await turn();
    }
  });
}

/**
 * Checks that a file has at least this many bytes.
 * @throws RangeError if it is shorter.
 */
export async function requireBytes(path: string, bytes: number): Promise<void> {
  const { size } = await stat(path);
  if (size < bytes) throw new RangeError(`the file of codes is not whole: ${size} of ${bytes} bytes`);
}
