import { apiKeyFrom } from "../service/api-key-header.js";
import type { JsonBodyWriter } from "../service/json-body.js";
import type { Service, ServiceResponse } from "../service/pipeline.js";
import { queryOf } from "../service/query-text.js";
import { MAX_BODY_BYTES } from "../service/read-params.js";

/** A function compatible with the global `fetch`. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Base of relative URLs. */
const ANY_BASE = "http://mirrorlake.invalid";

/**
 * Creates a `fetch` that the service answers in process. The base URL is ignored: only the path from its last `/v1/`
 * counts. API keys are read from the same headers as over HTTP.
 */
export function createFetch(service: Service, writer: JsonBodyWriter): Fetch {
  return async (input, init) => {
    const request = new Request(input instanceof Request ? input : new URL(input, ANY_BASE), init);
    const { pathname, searchParams } = new URL(request.url);
    const apiKey = apiKeyFrom(request.headers.get("authorization"), request.headers.get("x-api-key"));
    const contentType = request.headers.get("content-type");
    const response = await service.call({
      method: request.method,
      path: pathname.slice(Math.max(0, pathname.lastIndexOf("/v1/"))),
      query: queryOf(searchParams),
      textual: true,
      signal: request.signal,
      ...(request.body === null ? {} : { bodyBytes: await readBody(request.body) }),
      ...(contentType === null ? {} : { contentType }),
      apiKey,
    });
    const answer = toWebResponse(response, writer);
    Object.defineProperty(answer, "url", { value: request.url });
    return answer;
  };
}

function toWebResponse({ status, headers, body }: ServiceResponse, writer: JsonBodyWriter): Response {
  const [content, type] =
    typeof body === "string" ? [body, "text/plain; charset=utf-8"] : [writer.write(body), "application/json"];
  return new Response(content as ConstructorParameters<typeof Response>[0], {
    status,
    headers: { ...headers, "Content-Type": type },
  });
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
