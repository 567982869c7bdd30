import type { IncomingMessage, ServerResponse } from "node:http";
import type { CorsOrigins } from "./allowed-origins.js";

const EXPOSED = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-Service-Charged",
  "X-Service-Balance",
  "X-Mirrorlake-Embedder",
  "X-Mirrorlake-Hint",
  "X-Mirrorlake-Local",
  "X-Mirrorlake-Note",
  "X-Mirrorlake-Search-Mode",
  "X-Mirrorlake-Unknown",
  "Retry-After",
  "Accept-Ranges",
  "Content-Range",
  "ETag",
  "Mcp-Session-Id",
  "Repr-Digest",
].join(", ");

/**
 * Adds the CORS headers (WHATWG Fetch, "CORS protocol") for an allowed origin.
 * @returns true if the request was a preflight and has been answered (204)
 */
export function applyCors(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  origins: CorsOrigins,
): boolean {
  const { origin } = incoming.headers;
  outgoing.setHeader("Vary", "Origin");
  if (origin === undefined || (origins !== "*" && !origins.includes(origin))) return false;
  outgoing.setHeader("Access-Control-Allow-Origin", origins === "*" ? "*" : origin);
  outgoing.setHeader("Access-Control-Expose-Headers", EXPOSED);
  if (incoming.method !== "OPTIONS" || incoming.headers["access-control-request-method"] === undefined)
    return false;
  outgoing.writeHead(204, {
    "Access-Control-Allow-Methods": "GET, HEAD, POST",
    "Access-Control-Allow-Headers":
      "Authorization, Content-Type, If-None-Match, If-Range, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id, Range, X-Api-Key, X-Request-Id",
    "Access-Control-Max-Age": "600",
  });
  outgoing.end();
  return true;
}
