import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { ApiError, type ErrorCode, LakeError } from "../contract/errors.js";
import { METHOD_NOT_ALLOWED } from "../contract/service/envelope.js";
import { apiKeyFrom } from "../service/api-key-header.js";
import { splitTarget } from "./api-listener.js";
import { type ByteRange, etagListed, parseRange } from "./byte-range.js";
import type { ServedFile, SliceFiles } from "./slice-files.js";

/** A content-addressed file never changes. Caches must be private because reading it needs a key. */
const IMMUTABLE = "private, max-age=31536000, immutable";

/**
 * Serves files of slices: GET and HEAD, `Range` and `If-Range`, strong ETags (the SHA-256), `If-None-Match`, `If-Match`
 * (RFC 9110), the hash as `Repr-Digest` (RFC 9530). It requires a key with the scope `datasets`, as the endpoint that
 * lists slices. Downloads are not charged and not rate-limited.
 */
export function createFilesListener(
  files: SliceFiles,
  onError?: (error: unknown) => void,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    incoming.resume();
    const { method = "GET", headers } = incoming;
    if (method !== "GET" && method !== "HEAD") {
      sendJson(outgoing, 405, METHOD_NOT_ALLOWED, { Allow: "GET, HEAD" });
      return;
    }
    const given = headers["x-api-key"];
    const key = apiKeyFrom(headers.authorization, Array.isArray(given) ? given[0] : given);
    const access = await files.authorize(key);
    if (access === "unknown") return refuse(outgoing, "invalid_api_key", { "WWW-Authenticate": "Bearer" });
    if (access === "forbidden") return refuse(outgoing, "forbidden");
    const file = await files.find(splitTarget(incoming.url ?? "/").path).catch((error: unknown) => {
      if (!(error instanceof LakeError)) throw error;
      onError?.(error);
      return "damaged" as const;
    });
    if (file === "damaged") return refuse(outgoing, "service_unavailable");
    if (file === undefined) return refuse(outgoing, "not_found");
    await send(file, incoming, outgoing);
  };
}

async function send(file: ServedFile, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method, headers } = incoming;
  const etag = `"${file.sha256}"`;
  outgoing.setHeader("ETag", etag);
  outgoing.setHeader("Accept-Ranges", "bytes");
  outgoing.setHeader("Cache-Control", file.immutable ? IMMUTABLE : "private, no-cache");
  outgoing.setHeader("X-Content-Type-Options", "nosniff");
  const ifMatch = headers["if-match"];
  const ifNoneMatch = headers["if-none-match"];
  if (ifMatch !== undefined && !etagListed(ifMatch, etag, false)) return end(outgoing, 412);
  if (ifNoneMatch !== undefined && etagListed(ifNoneMatch, etag, true)) return end(outgoing, 304);
  const range = rangeOf(incoming, file.bytes, etag);
  if (range === "unsatisfiable") return end(outgoing, 416, { "Content-Range": `bytes */${file.bytes}` });
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
  const part = range === undefined ? {} : { "Content-Range": `bytes ${first}-${last}/${file.bytes}` };
  outgoing.writeHead(range === undefined ? 200 : 206, {
    "Content-Type": file.mediaType,
    "Content-Length": last - first + 1,
    "Repr-Digest": `sha-256=:${Buffer.from(file.sha256, "hex").toString("base64")}:`,
    ...part,
  });
  if (method === "HEAD" || last < first) outgoing.end();
  else await pipe(file.read(first, last), outgoing);
}

/** Sends the bytes. A disconnected client is not an error. Other errors close the connection, so the client detects an incomplete file. */
async function pipe(source: AsyncIterable<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  try {
    await pipeline(source, outgoing);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET" || code === "EPIPE") return;
    throw error;
  }
}

/** Returns the requested range. `Range` applies to GET only, and with `If-Range` only to this version. */
function rangeOf(
  { method, headers }: IncomingMessage,
  bytes: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  const condition = headers["if-range"];
  if (method !== "GET" || (condition !== undefined && condition !== etag)) return undefined;
  return parseRange(headers.range, bytes);
}

function end(outgoing: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, status === 304 ? headers : { ...headers, "Content-Length": 0 });
  outgoing.end();
}

/** Sends an error envelope (service.md section 2.2). */
function refuse(outgoing: ServerResponse, code: ErrorCode, headers: Record<string, string> = {}): void {
  const { status, message } = new ApiError(code);
  const requestId = randomUUID();
  const body = { error: { code, message, request_id: requestId } };
  sendJson(outgoing, status, body, { ...headers, "X-Request-Id": requestId });
}

function sendJson(
  outgoing: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify(body);
  outgoing.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    ...headers,
  });
  outgoing.end(text);
}
