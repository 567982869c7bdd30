import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readiness } from "./readiness.js";

/** Where a process says that it lives. */
const HEALTH_PATH = "/healthz";
/** Where it says whether calls can be answered. */
const READY_PATH = "/readyz";

/** Whether a path is of a probe. */
export function isProbe(path: string): boolean {
  return path === HEALTH_PATH || path === READY_PATH;
}

/** Answers a request that does not read with a 405. @returns whether it did so */
export function refuseWrite({ method }: IncomingMessage, outgoing: ServerResponse): boolean {
  if (method === "GET" || method === "HEAD") return false;
  outgoing.setHeader("Allow", "GET, HEAD");
  sendJson(outgoing, 405, { detail: "Method Not Allowed" });
  return true;
}

/**
 * Answers a probe: 200, or 503 where calls cannot be answered.
 * @param withReasons whether each check is told with its time and its problem; otherwise the state alone
 */
export function answerProbe(
  readiness: Readiness,
  path: string,
  outgoing: ServerResponse,
  withReasons: boolean,
): void {
  if (path === HEALTH_PATH) {
    sendJson(outgoing, 200, { status: "alive" });
    return;
  }
  readiness.report().then(
    ({ state, checks }) =>
      sendJson(outgoing, state === "ready" ? 200 : 503, {
        status: state,
        checks: withReasons ? checks : undefined,
      }),
    () => outgoing.destroy(),
  );
}

/** Sends JSON that is not to be kept. */
export function sendJson(outgoing: ServerResponse, status: number, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  outgoing.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  outgoing.end(body);
}
