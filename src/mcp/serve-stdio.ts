import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { MCP_DEFAULTS } from "./defaults.js";
import { createMcpServer, type McpOffer } from "./mcp-server.js";
import { MessageLines } from "./message-lines.js";

/** Where a server of standard input and output reads and writes, and when it ends. */
export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** The protocol's transport, which sends one message after another, and tells what it reads from when a request is answered. */
class TellingTransport extends StdioServerTransport {
  private sent: Promise<void> = Promise.resolve();

  constructor(
    private readonly lines: MessageLines,
    output: Writable,
  ) {
    super(lines, output, { maxBufferSize: MCP_DEFAULTS.maxLineBytes + 1 }); // with the end of the line
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const sending = this.sent.then(() => super.send(message));
    this.sent = sending.catch(() => {});
    try {
      await sending;
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.lines.settled(message.id);
    }
  }
}

/**
 * Serves one client over standard input and output, until its input ends and what it asked is answered, its output has no reader, or the
 * signal is aborted. A line that is no message is answered with an error.
 */
export async function serveMcpStdio(offer: McpOffer, { input, output, signal }: StdioOptions): Promise<void> {
  const lines = new MessageLines((refusal) => {
    output.write(`${JSON.stringify(refusal)}\n`);
    offer.onError(new Error(refusal.error.message));
  });
  const ended = new Promise<void>((resolve) => {
    lines.once("end", () => resolve());
    input.once("close", () => lines.writableEnded || lines.end());
    input.once("error", () => resolve());
    output.once("error", () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const transport = new TellingTransport(lines, output);
  const handle = serveStdio(() => createMcpServer(offer), { transport, onerror: offer.onError });
  input.pipe(lines);
  await ended;
  input.unpipe(lines);
  await handle.close();
  lines.destroy();
}
