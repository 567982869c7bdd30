import { UsageError } from "../contract/errors.js";
import { serviceBaseUrl } from "../contract/service/endpoint.js";
import type { FetchFunction } from "./record-fetch.js";

/** Headers that belong to one connection, or say how a body was packed. */
const OF_A_CONNECTION = new Set([
  "host",
  "connection",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "content-length",
  "content-encoding",
  "accept-encoding",
  "expect",
]);

/**
 * Makes what a proxy does with requests: it sends them to a service, with their own keys.
 * @param baseUrl of the service, everything before `/v1`; a `/v1` at its end is taken off
 * @throws UsageError `invalid_base_url`
 */
export function forwardTo(baseUrl: string, fetch: FetchFunction): (request: Request) => Promise<Response> {
  const base = serviceBaseUrl(baseUrl);
  if (base === undefined) {
    throw new UsageError("invalid_base_url", `Not a base URL: ${baseUrl}`, {
      value: baseUrl,
      remedy: "Give an http or https URL without query and credentials, such as https://api.example.com.",
    });
  }
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = request.body === null ? undefined : await request.arrayBuffer();
    const response = await fetch(`${base}${pathname}${search}`, {
      method: request.method,
      headers: passedOn(request.headers),
      redirect: "manual", // a redirect could hand the key to another host
      signal: request.signal,
      body: body === undefined || body.byteLength === 0 ? undefined : body,
    });
    return new Response(response.body, { status: response.status, headers: passedOn(response.headers) });
  };
}

function passedOn(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => !OF_A_CONNECTION.has(name));
}
