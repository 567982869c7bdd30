import { randomUUID } from "node:crypto";
import { ApiError, type ErrorCode, LakeError } from "../../contract/errors.js";
import { METHOD_NOT_ALLOWED } from "../../contract/service/envelope.js";
import { apiKeyFrom } from "../../service/api-key-header.js";
import { type ByteRange, etagListed, parseRange } from "./byte-range.js";
import type { ServedFile, SliceFiles } from "./slice-files.js";

/** A content-addressed file never changes. Caches must be private because reading it needs a key. */
const IMMUTABLE = "private, max-age=31536000, immutable";

/** A request for a file of a slice. */
export interface FileRequest {
  readonly method: string;
  /** Path such as `/datasets/index.json`. */
  readonly path: string;
  /** The value of a header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** What answers a {@link FileRequest}; without a body to HEAD. */
export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
}

/** Called with the error behind a 503. */
export type OnFileError = (
  error: unknown,
  request: { readonly requestId: string; readonly path: string },
) => void;

/**
 * Answers a request for a file of a slice: GET and HEAD, `Range` and `If-Range`, strong ETags (the SHA-256), `If-None-Match`,
 * `If-Match` (RFC 9110), the hash as `Repr-Digest` (RFC 9530). It requires a key with the scope `datasets`, as the endpoint that
 * lists slices. Downloads are not charged and not rate-limited.
 */
export async function answerFile(
  files: SliceFiles,
  request: FileRequest,
  onError?: OnFileError,
): Promise<FileAnswer> {
  const { method, header } = request;
  if (method !== "GET" && method !== "HEAD") return json(405, METHOD_NOT_ALLOWED, { Allow: "GET, HEAD" });
  const access = await files.authorize(apiKeyFrom(header("authorization"), header("x-api-key")));
  if (access === "unknown") return refusal("invalid_api_key", { "WWW-Authenticate": "Bearer" });
  if (access === "forbidden") return refusal("forbidden");
  const file = await files.find(request.path).catch((error: unknown) => {
    if (!(error instanceof LakeError)) throw error;
    const requestId = randomUUID();
    onError?.(error, { requestId, path: request.path });
    return refusal("service_unavailable", {}, requestId);
  });
  if (file === undefined) return refusal("not_found");
  return "status" in file ? file : answerOf(file, request);
}

function answerOf(file: ServedFile, request: FileRequest): FileAnswer {
  const { method, header } = request;
  const etag = `"${file.sha256}"`;
  const about = {
    ETag: etag,
    "Accept-Ranges": "bytes",
    "Cache-Control": file.immutable ? IMMUTABLE : "private, no-cache",
    "X-Content-Type-Options": "nosniff",
  };
  const ifMatch = header("if-match");
  const ifNoneMatch = header("if-none-match");
  const none = { "Content-Length": "0" };
  if (ifMatch !== undefined && !etagListed(ifMatch, etag, false))
    return { status: 412, headers: { ...about, ...none } };
  if (ifNoneMatch !== undefined && etagListed(ifNoneMatch, etag, true))
    return { status: 304, headers: about };
  const range = rangeOf(request, file.bytes, etag);
  if (range === "unsatisfiable")
    return { status: 416, headers: { ...about, "Content-Range": `bytes */${file.bytes}`, ...none } };
  const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
  const headers = {
    ...about,
    "Content-Type": file.mediaType,
    "Content-Length": String(last - first + 1),
    "Repr-Digest": `sha-256=:${Buffer.from(file.sha256, "hex").toString("base64")}:`,
  };
  const body = method === "HEAD" || last < first ? undefined : file.read(first, last);
  if (range === undefined) return { status: 200, headers, body };
  return {
    status: 206,
    headers: { ...headers, "Content-Range": `bytes ${first}-${last}/${file.bytes}` },
    body,
  };
}

/** Returns the requested range. `Range` applies to GET only, and with `If-Range` only to this version. */
function rangeOf(
  { method, header }: FileRequest,
  bytes: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  const condition = header("if-range");
  if (method !== "GET" || (condition !== undefined && condition !== etag)) return undefined;
  return parseRange(header("range"), bytes);
}

/** An error envelope (service.md section 2.2). */
function refusal(
  code: ErrorCode,
  headers: Readonly<Record<string, string>> = {},
  requestId: string = randomUUID(),
): FileAnswer {
  const { status, message } = new ApiError(code);
  const body = { error: { code, message, request_id: requestId } };
  return json(status, body, { ...headers, "X-Request-Id": requestId });
}

function json(status: number, body: object, headers: Readonly<Record<string, string>>): FileAnswer {
  const text = JSON.stringify(body);
  return {
    status,
    headers: {
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(text)),
      "Cache-Control": "no-store",
      ...headers,
    },
    body: text,
  };
}
