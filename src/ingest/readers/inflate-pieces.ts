import type { Transform } from "node:stream";
import { INFLATE_BYTES } from "../defaults.js";

/**
 * Decompresses chunks through a zlib stream, and closes both when it ends. Where the data is damaged or truncated, what was
 * decompressed before comes first; then the stream's error is thrown. Errors of `source` are thrown as they are.
 *
 * The input goes in small pieces: zlib keeps what it made of the piece that it fails at, and a piece may grow a thousandfold.
 */
export async function* inflatePieces(
  source: AsyncIterable<Buffer>,
  through: Transform,
): AsyncGenerator<Buffer, void, void> {
  const made: Buffer[] = [];
  let fault: Error | undefined;
  let wake = () => {};
  const done = (start: (whenDone: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      const settle = (error?: Error | null) => {
        fault ??= error ?? undefined;
        if (fault === undefined) resolve();
        else reject(fault);
      };
      wake = settle;
      if (fault === undefined) start(settle);
      else settle();
    });
  through.on("data", (chunk: Buffer) => made.push(chunk));
  through.on("error", (error) => {
    fault = error;
    wake();
  });
  try {
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; at += INFLATE_BYTES) {
        await done((whenDone) => through.write(chunk.subarray(at, at + INFLATE_BYTES), whenDone));
        yield* made.splice(0);
      }
    }
    through.end();
    // Not "finish": zlib says after it that data is not complete. It has ended before where something follows the data.
    if (!through.readableEnded) await done((whenDone) => through.once("end", whenDone));
  } catch (error) {
    yield* made.splice(0);
    throw error;
  } finally {
    through.destroy();
  }
  yield* made.splice(0);
}
