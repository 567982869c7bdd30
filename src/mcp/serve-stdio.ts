import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpOffer } from "./mcp-server.js";

/** Where a server of standard input and output reads and writes, and when it ends. */
export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Serves one client over standard input and output, until its input ends, its output has no reader, or the signal is aborted. */
export async function serveMcpStdio(offer: McpOffer, { input, output, signal }: StdioOptions): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close"]) input.once(event, () => resolve());
    output.once("error", () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(() => createMcpServer(offer), { transport, onerror: offer.onError });
  await ended;
  await handle.close();
}
