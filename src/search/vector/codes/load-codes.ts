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
