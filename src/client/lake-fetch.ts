import { ReadableStream as NodeStream } from "node:stream/web";
import { DATASETS_PATH } from "../contract/slice/dataset-paths.js";
import { breakBody, type WireFault } from "../faults/wire-fault.js";
import { apiKeyFrom } from "../service/api-key-header.js";
import type { JsonBodyWriter } from "../service/json-body.js";
import type { Service, ServiceResponse } from "../service/pipeline.js";
import { queryOf } from "../service/query-text.js";
import { MAX_BODY_BYTES } from "../service/read-params.js";
import { answerFile, type OnFileError } from "./files/file-answer.js";
import type { SliceFiles } from "./files/slice-files.js";

/** A function compatible with the global `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Base of relative URLs. */
const ANY_BASE = "http://mirrorlake.invalid";

/**
 * Creates a `fetch` that the service answers in process. The base URL is ignored: only the path from its last `/v1/`
 * counts, or from its last `/datasets/`, below which the files of slices are. API keys are read from the same headers as over HTTP.
 * Any other path is none of the service's: 404, as over HTTP.
 * @param files of the lake's slices; none by default
 */
export function createFetch(
  service: Service,
  writer: JsonBodyWriter,
  files?: SliceFiles,
  onError?: OnFileError,
): Fetch {
  return async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, ANY_BASE), init);
    const { pathname, searchParams } = new URL(request.url);
    const path = servicePath(pathname);
    const at = pathname.lastIndexOf(DATASETS_PATH);
    if (path === undefined && files !== undefined && at >= 0)
      return sentFor(request, await fileResponse(files, pathname.slice(at), request, onError));
    if (path === undefined) return sentFor(request, Response.json({ detail: "Not Found" }, { status: 404 }));
    const apiKey = apiKeyFrom(request.headers.get("authorization"), request.headers.get("x-api-key"));
    const contentType = request.headers.get("content-type");
    const response = await service.call({
      method: request.method,
      path,
      query: queryOf(searchParams),
      textual: true,
      signal: request.signal,
      bodyBytes: request.body === null ? new Uint8Array() : await readBody(request.body),
      contentType: contentType ?? undefined,
      contentEncoding: request.headers.get("content-encoding") ?? undefined,
      apiKey,
      sentId: request.headers.get("x-request-id") ?? undefined,
    });
    return sentFor(request, toWebResponse(response, writer));
  };
}

/** The path from its last `/v1` on; undefined if it has none. */
function servicePath(pathname: string): string | undefined {
  const at = pathname.endsWith("/v1") ? pathname.length - "/v1".length : pathname.lastIndexOf("/v1/");
  return at < 0 ? undefined : pathname.slice(at);
}

/** The answer as `fetch` gives it: with the URL that was asked, and to HEAD without a body. */
function sentFor({ url, method }: Request, response: Response): Response {
  const answer = method === "HEAD" ? new Response(null, response) : response;
  Object.defineProperty(answer, "url", { value: url });
  return answer;
}

async function fileResponse(
  files: SliceFiles,
  path: string,
  { method, headers: sent }: Request,
  onError?: OnFileError,
): Promise<Response> {
  const header = (name: string) => sent.get(name) ?? undefined;
  const { status, headers, body } = await answerFile(files, { method, path, header }, onError);
  const content = typeof body === "object" ? NodeStream.from(body) : body;
  return new Response(content as Content, { status, headers });
}

function toWebResponse({ status, headers, body, wire }: ServiceResponse, writer: JsonBodyWriter): Response {
  const [content, type] =
    typeof body === "string" ? [body, "text/plain; charset=utf-8"] : [writer.write(body), "application/json"];
  if (wire?.kind === "drop") throw brokenConnection();
  const whole = wire === undefined ? content : brokenContent(wire, content);
  return new Response(whole as Content, {
    status,
    headers: { ...headers, "Content-Type": type },
  });
}

type Content = ConstructorParameters<typeof Response>[0];

/** What a fault leaves of a body: bytes, or a stream that fails after them, as `fetch` gives it over a network. */
function brokenContent(wire: WireFault, content: string | Uint8Array): unknown {
  const { bytes, breaks } = breakBody(wire, typeof content === "string" ? Buffer.from(content) : content);
  if (!breaks) return bytes;
  let sent = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(brokenConnection("terminated"));
      else controller.enqueue(bytes.slice());
      sent = true;
    },
  });
}

/** The error of Node's own `fetch` for a connection that was dropped. */
function brokenConnection(message = "fetch failed"): TypeError {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  return new TypeError(message, { cause });
}

async function readBody(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES + 1);
}
