import { type OutgoingHttpHeaders, type ServerResponse, STATUS_CODES } from "node:http";
import { breakBody, type WireFault } from "../faults/wire-fault.js";

/** A whole answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly bytes: Uint8Array;
}

/** Sends what a fault leaves of an answer, and breaks the connection where the fault does. */
export function writeBroken(outgoing: ServerResponse, fault: WireFault, answer: WholeAnswer): void {
  const { status, headers } = answer;
  const { bytes, breaks } = breakBody(fault, answer.bytes);
  if (fault.kind === "drop") {
    outgoing.destroy();
    return;
  }
  if (fault.kind === "malformed-chunk") {
    writeChunks(outgoing, answer, bytes);
    return;
  }
  if (!breaks) {
    outgoing.writeHead(status, { ...headers, "Content-Length": bytes.byteLength });
    outgoing.end(bytes);
    return;
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  outgoing.write(bytes, () => outgoing.destroy());
}

/** Writes to the socket itself: a first chunk, then one whose length is no number. */
function writeChunks(outgoing: ServerResponse, { status, headers }: WholeAnswer, bytes: Uint8Array): void {
  const { socket } = outgoing;
  if (socket === null) return;
  const { "Content-Length": _, ...rest } = headers;
  const lines = Object.entries({ ...rest, "Transfer-Encoding": "chunked" }).map(
    ([name, value]) => `${name}: ${String(value)}\r\n`,
  );
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n`);
  socket.write(`${bytes.byteLength.toString(16)}\r\n`);
  socket.write(bytes);
  socket.end("\r\nno length\r\n");
}
