import type { IncomingMessage, ServerResponse } from "node:http";
import { apiKeyFrom } from "../service/api-key-header.js";
import type { JsonBodyWriter } from "../service/json-body.js";
import type { Service, ServiceRequest, ServiceResponse } from "../service/pipeline.js";
import { queryOf } from "../service/query-text.js";
import { MAX_BODY_BYTES } from "../service/read-params.js";
import { SERVER_DEFAULTS } from "./defaults.js";
import { readBody } from "./read-body.js";

/** Answers one HTTP request; never rejects. */
export type ApiListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** Translates HTTP requests into calls of the service and its responses into HTTP. */
export function createApiListener(service: Service, writer: JsonBodyWriter): ApiListener {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) gone.abort(new Error("the client went away"));
    });
    try {
      const request = await toServiceRequest(incoming, gone.signal);
      write(await service.call(request), outgoing, incoming, writer);
    } catch (error) {
      if (!gone.signal.aborted && !incoming.destroyed) throw error;
      outgoing.destroy();
    }
  };
}

async function toServiceRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<ServiceRequest> {
  const { method = "GET", headers } = incoming;
  const { path, search } = splitTarget(incoming.url ?? "/");
  const bodyBytes = await readBody(incoming, MAX_BODY_BYTES + 1);
  const apiKey = apiKeyFrom(headers.authorization, oneOf(headers["x-api-key"]));
  const contentType = headers["content-type"];
  return {
    method,
    path,
    query: queryOf(new URLSearchParams(search)),
    textual: true,
    bodyBytes,
    signal,
    contentType,
    apiKey,
  };
}

function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** Path and query of a request target, in origin form (`/v1/…`) or absolute form (`http://host/v1/…`). */
export function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const origin = /^https?:\/\/[^/?#]*/i.exec(target)?.[0] ?? "";
  const [rest = ""] = target.slice(origin.length).split("#", 1);
  const mark = rest.indexOf("?");
  return mark < 0 ? { path: rest, search: "" } : { path: rest.slice(0, mark), search: rest.slice(mark + 1) };
}

function write(
  { status, headers, body }: ServiceResponse,
  outgoing: ServerResponse,
  incoming: IncomingMessage,
  writer: JsonBodyWriter,
): void {
  const isText = typeof body === "string";
  const bytes = isText ? Buffer.from(body) : writer.write(body);
  const unread = !incoming.readableEnded && !incoming.complete;
  outgoing.writeHead(status, {
    ...headers,
    "Content-Type": isText ? "text/plain; charset=utf-8" : "application/json",
    "Content-Length": bytes.byteLength,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...(unread ? { Connection: "close" } : {}),
  });
  outgoing.end(bytes);
  if (unread) drain(incoming);
}

/** Reads on for a moment: a connection closed on a client that still sends would take the answer with it. */
function drain(incoming: IncomingMessage): void {
  const { socket } = incoming;
  const timer = setTimeout(() => socket.destroy(), SERVER_DEFAULTS.drainMs).unref();
  incoming.once("close", () => clearTimeout(timer));
  incoming.resume();
}
