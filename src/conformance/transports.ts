import { type Calls, createCalls } from "../client/client.js";
import { connect } from "../client/connect.js";
import { CLIENT_DEFAULTS } from "../client/defaults.js";
import { createFetch } from "../client/lake-fetch.js";
import { createLocalTransport } from "../client/local-transport.js";
import { ApiError, ResponseError } from "../contract/errors.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import { NETWORK_DEFAULTS } from "../network/defaults.js";
import { fetchText } from "../network/fetch-text.js";
import { createSender, type SendRequest } from "../network/sender.js";
import { withinTime } from "../network/within-time.js";
import { JsonBodyWriter } from "../service/json-body.js";
import type { Service } from "../service/pipeline.js";
import type { Entrance, Outcome, WireRequest } from "./rule.js";

/** A transport under test: one way into a service. */
export interface TestedTransport {
  readonly name: string;
  open(service: Service, catalogue: readonly EndpointSpec[], apiKey: string): Promise<OpenTransport>;
}

/** An open transport. */
export interface OpenTransport extends Entrance {
  close(): Promise<void>;
}

/** Starts an HTTP server over a service. The caller passes it in, because servers are in a higher layer. */
export type Serve = (service: Service) => Promise<{ readonly url: string; close(): Promise<void> }>;

/** The four transports: typed client in process, drop-in fetch, HTTP, typed client over HTTP. */
export function fourTransports(serve: Serve): readonly TestedTransport[] {
  return [clientTransport, fetchTransport, httpTransport(serve), connectTransport(serve)];
}

const nothing = async () => {};

/** The typed client in process. */
export const clientTransport: TestedTransport = {
  name: "client",
  open: async (service, catalogue, apiKey) => ({
    call: (id, params, key = apiKey) =>
      callTyped(createCalls(catalogue, createLocalTransport(service, key)), id, params),
    close: nothing,
  }),
};

/** The drop-in for `fetch`. */
export const fetchTransport: TestedTransport = {
  name: "fetch",
  open: async (service, catalogue, apiKey) => ({
    ...wireEntrance(createFetch(service, new JsonBodyWriter()), "https://service.example", catalogue, apiKey),
    close: nothing,
  }),
};

/** Requests to an HTTP server. */
export function httpTransport(serve: Serve): TestedTransport {
  return {
    name: "http",
    open: async (service, catalogue, apiKey) => {
      const { url, close } = await serve(service);
      return { ...wireEntrance(createSender(), url, catalogue, apiKey), close };
    },
  };
}

/** The typed client over HTTP. */
export function connectTransport(serve: Serve): TestedTransport {
  return {
    name: "connect",
    open: async (service, catalogue, apiKey) => {
      const { url, close } = await serve(service);
      return { ...connectEntrance(url, catalogue, apiKey), close };
    },
  };
}

/** The typed client of a remote service, without retries, so that a rule sees a 429. */
export function connectEntrance(
  baseUrl: string,
  catalogue: readonly EndpointSpec[],
  apiKey: string,
): Entrance {
  return {
    call: (id, params, key = apiKey) =>
      callTyped(connect({ baseUrl, apiKey: key, catalogue, retry: { retries: 0 } }), id, params),
  };
}

/** Requests made of a catalogue's rows, sent by a `fetch`. */
export function wireEntrance(
  send: SendRequest,
  baseUrl: string,
  catalogue: readonly EndpointSpec[],
  apiKey: string,
): Required<Entrance> {
  const byId = new Map(catalogue.map((endpoint) => [endpoint.id, endpoint]));
  const sendWire = async ({ method, path, headers = {}, body }: WireRequest): Promise<Outcome> => {
    const init: RequestInit = { method, headers: { ...headers }, body };
    const answer = await withinTime({ timeoutMs: CLIENT_DEFAULTS.timeoutMs, expired: noAnswer }, (signal) =>
      fetchText(send, `${baseUrl}${path}`, init, { signal, maxBytes: NETWORK_DEFAULTS.maxBodyBytes }),
    );
    return toOutcome(answer.status, Object.fromEntries(answer.headers), answer.text);
  };
  return {
    send: sendWire,
    call: (id, params, key = apiKey) => {
      const endpoint = byId.get(id);
      if (endpoint === undefined) throw new Error(`no endpoint ${id}`);
      const auth = { Authorization: `Bearer ${key}` };
      if (endpoint.method === "GET")
        return sendWire({ method: "GET", path: `${endpoint.path}${queryText(params)}`, headers: auth });
      const headers = { ...auth, "Content-Type": "application/json" };
      return sendWire({ method: "POST", path: endpoint.path, headers, body: JSON.stringify(params) });
    },
  };
}

function noAnswer(timeoutMs: number): Error {
  return new Error(`no answer within ${timeoutMs} ms`);
}

function queryText(params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  return query.size === 0 ? "" : `?${query}`;
}

function toOutcome(status: number, headers: Readonly<Record<string, string>>, text: string): Outcome {
  const isJson = headers["content-type"]?.startsWith("application/json") === true;
  return { status, headers, body: isJson && text !== "" ? JSON.parse(text) : text };
}

/** A typed call as an outcome: what the client throws is turned back into what it was made of. */
async function callTyped(
  client: Calls,
  id: string,
  params: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  try {
    const answer = await client.call(id, params);
    return { status: 200, headers: answer.headers, body: answer };
  } catch (error) {
    if (error instanceof ApiError) {
      const { code, message, requestId, status, retryAfterS } = error;
      const headers: Record<string, string> =
        retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };
      return { status, headers, body: { error: { code, message, request_id: requestId } } };
    }
    if (error instanceof ResponseError)
      return { status: Number(error.value), headers: {}, body: error.message };
    throw error;
  }
}
