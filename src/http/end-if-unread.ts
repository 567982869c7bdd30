import type { IncomingMessage, ServerResponse } from "node:http";

/** Says that the connection ends with an answer if the request's body has not arrived as a whole: what is left of it is not read. */
export function endIfUnread(
  incoming: Pick<IncomingMessage, "headers" | "complete">,
  outgoing: Pick<ServerResponse, "headersSent"> & { setHeader(name: string, value: string): unknown },
): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = incoming.headers;
  const hasBody = encoding !== undefined || length !== "0";
  if (hasBody && !incoming.complete && !outgoing.headersSent) outgoing.setHeader("Connection", "close");
}
