import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { answerFile, type OnFileError } from "../client/files/file-answer.js";
import type { SliceFiles } from "../client/files/slice-files.js";
import { splitTarget } from "./api-listener.js";

/** Serves files of slices as {@link answerFile} answers for them. */
export function createFilesListener(
  files: SliceFiles,
  onError?: OnFileError,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    incoming.resume();
    const { method = "GET", url = "/", headers: sent } = incoming;
    const header = (name: string) => {
      const value = sent[name];
      return Array.isArray(value) ? value[0] : value;
    };
    const request = { method, path: splitTarget(url).path, header };
    const { status, headers, body } = await answerFile(files, request, onError);
    outgoing.writeHead(status, headers);
    if (typeof body === "object") await pipe(body, outgoing);
    else outgoing.end(body);
  };
}

/** Sends the bytes. A disconnected client is not an error. Other errors close the connection, so the client detects an incomplete file. */
async function pipe(source: AsyncIterable<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  try {
    await pipeline(source, outgoing);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET" || code === "EPIPE") return;
    throw error;
  }
}
