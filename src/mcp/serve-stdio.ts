import type { Readable, Writable } from "node:stream";
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

/**
 * Serves one client over standard input and output, until its input ends, its output has no reader, or the signal is aborted. A line that
 * is no message is answered with an error.
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
  const maxBufferSize = MCP_DEFAULTS.maxLineBytes + 1; // with the end of the line
  const transport = new StdioServerTransport(lines, output, { maxBufferSize });
  const handle = serveStdio(() => createMcpServer(offer), { transport, onerror: offer.onError });
  input.pipe(lines);
  await ended;
  input.unpipe(lines);
  await handle.close();
}
