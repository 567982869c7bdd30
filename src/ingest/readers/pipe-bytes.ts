import { close, constants, open, readSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal } from "node:stream";
import { promisify } from "node:util";
import { CHUNK_BYTES } from "../defaults.js";

const openInPool = promisify(open);
const closeInPool = promisify(close);

/**
 * The bytes of a named pipe, up to the end of what its first writers write. Nothing blocks: opened as a file, a pipe without a writer
 * holds a thread that no abort and no end of the process can take back.
 * @param onWait called if the pipe has no writer yet
 * @throws the system's error; the signal's reason
 */
export async function* pipeBytes(
  path: string,
  signal: AbortSignal | undefined,
  onWait: () => void,
): AsyncGenerator<Buffer, void, void> {
  const descriptor = await openInPool(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let socket: Socket;
  let first: Buffer | undefined;
  try {
    first = readNow(descriptor);
    if (first?.length === 0) onWait();
    socket = new Socket({ fd: descriptor, readable: true, writable: false });
  } catch (error) {
    await closeInPool(descriptor);
    throw error;
  }
  if (signal !== undefined) addAbortSignal(signal, socket);
  try {
    if (first !== undefined && first.length > 0) yield first;
    for await (const chunk of socket) yield chunk as Buffer;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    socket.destroy();
  }
}

/** What can be read without a wait: empty if there is no writer, undefined if one has written nothing yet. */
function readNow(descriptor: number): Buffer | undefined {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  try {
    return buffer.subarray(0, readSync(descriptor, buffer));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}
