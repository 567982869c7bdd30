import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { clearTimeout, setTimeout } from "node:timers";
import type { CallTrace } from "../endpoints/call-trace.js";
import { apiKeyFrom } from "../service/api-key-header.js";
import { asApiError } from "../service/as-api-error.js";
import type { JsonBodyWriter } from "../service/json-body.js";
import type { Service, ServiceRequest, ServiceResponse } from "../service/pipeline.js";
import { queryOf } from "../service/query-text.js";
import { MAX_BODY_BYTES } from "../service/read-params.js";
import { failure } from "../service/responses.js";
import { isSent, requestIdOf } from "../service/sent-id.js";
import { SERVER_DEFAULTS } from "./defaults.js";
import { readBody } from "./read-body.js";
import { writeBroken } from "./write-broken.js";

/** Answers one HTTP request. Rejects if the service fails unexpectedly while the client is still connected. */
export type ApiListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  trace?: CallTrace,
) => Promise<void>;

/**
 * Converts HTTP requests to calls of the service, and its responses to HTTP. A service that takes no calls, since its lake was closed, is
 * answered for with a 503; `onError` gets its error.
 */
export function createApiListener(
  service: Service,
  writer: JsonBodyWriter,
  onError?: (error: unknown) => void,
): ApiListener {
  return async (incoming, outgoing, trace) => {
    const disconnected = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) disconnected.abort(new Error("the client went away"));
    });
    try {
      const request = await toServiceRequest(incoming, disconnected.signal, trace);
      const response = await service.call(request).catch((error: unknown) => {
        const known = disconnected.signal.aborted ? undefined : asApiError(error);
        if (known === undefined) throw error;
        // Of a lake that its program has closed, say.
        onError?.(error);
        return failure(isSent(request) ? requestIdOf(request.sentId) : randomUUID(), known, undefined);
      });
      write(response, outgoing, incoming, writer);
      trace?.mark("write");
    } catch (error) {
      const broken = incoming.destroyed && !incoming.complete; // a request that was read is destroyed too
      if (!disconnected.signal.aborted && !broken) throw error;
      outgoing.destroy();
    }
  };
}

async function toServiceRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
  trace: CallTrace | undefined,
): Promise<ServiceRequest> {
  const { method = "GET", headers } = incoming;
  const { path, search } = splitTarget(incoming.url ?? "/");
  const bodyBytes = await readBody(incoming, MAX_BODY_BYTES + 1);
  trace?.mark("receive");
  const apiKey = apiKeyFrom(headers.authorization, firstOf(headers["x-api-key"]));
  const contentType = headers["content-type"];
  const contentEncoding = headers["content-encoding"];
  return {
    method,
    path,
    query: queryOf(new URLSearchParams(search)),
    textual: true,
    bodyBytes,
    signal,
    contentType,
    contentEncoding,
    apiKey,
    sentId: firstOf(headers["x-request-id"]),
    trace,
  };
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Splits a request target in origin form (`/v1/…`) or absolute form (`http://host/v1/…`) into path and query. */
export function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? "";
  const [rest = ""] = target.slice(origin.length).split("#", 1);
  const mark = rest.indexOf("?");
  return mark < 0 ? { path: rest, search: "" } : { path: rest.slice(0, mark), search: rest.slice(mark + 1) };
}

function write(
  { status, headers, body, wire }: ServiceResponse,
  outgoing: ServerResponse,
  incoming: IncomingMessage,
  writer: JsonBodyWriter,
): void {
  const isText = typeof body === "string";
  const bytes = isText ? Buffer.from(body) : writer.write(body);
  const unread = !incoming.readableEnded && !incoming.complete;
  const all = {
    ...headers,
    "Content-Type": isText ? "text/plain; charset=utf-8" : "application/json",
    "Content-Length": bytes.byteLength,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...(unread ? { Connection: "close" } : {}),
  };
  if (wire !== undefined) {
    writeBroken(outgoing, wire, { status, headers: all, bytes });
    return;
  }
  outgoing.writeHead(status, all);
  outgoing.end(bytes);
  if (unread) drain(incoming);
}

/** Keeps reading briefly: closing a connection while the client still sends could discard the answer. */
function drain(incoming: IncomingMessage): void {
  const { socket } = incoming;
  const timer = setTimeout(() => socket.destroy(), SERVER_DEFAULTS.drainMs).unref();
  incoming.once("close", () => clearTimeout(timer));
  incoming.resume();
}
