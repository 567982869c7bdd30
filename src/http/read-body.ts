import type { IncomingMessage } from "node:http";

/**
 * Reads at most `limit` bytes of a request's body and leaves the rest unread. Resolves to an empty array without a body.
 * @throws Error if the client disconnects before the end
 */
export async function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
  if (encoding === undefined && (length === undefined || length === "0")) return new Uint8Array();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      incoming.off("data", onData).off("end", onEnd).off("error", reject).off("close", onClose);
      incoming.pause();
      resolve(Buffer.concat(chunks).subarray(0, limit));
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= limit) stop();
    };
    const onEnd = () => stop();
    const onClose = () => reject(new Error("the client went away before its request was complete"));
    incoming.on("data", onData).on("end", onEnd).on("error", reject).on("close", onClose);
  });
}
