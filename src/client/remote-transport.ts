import { ConnectionError } from "../contract/errors.js";
import type { TransportResponse } from "./answer.js";
import type { AnyParams, Target, Transport } from "./client.js";
import type { Fetch } from "./lake-fetch.js";

/** What a {@link createRemoteTransport} needs. */
export interface RemoteOptions {
  /** Base URL without trailing slash; `/v1/…` is appended. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

/** Calls the service over a network. Vectors of answers become `Float32Array`s. */
export function createRemoteTransport(options: RemoteOptions): Transport {
  return {
    send: async (target, params, { signal }) =>
      withTypedVectors(await request(options, target, params, signal)),
  };
}

async function request(
  options: RemoteOptions,
  target: Target,
  params: AnyParams,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  const isGet = target.method === "GET";
  const url = `${options.baseUrl}${target.path}${isGet ? queryText(params) : ""}`;
  try {
    const response = await options.fetch(url, {
      method: target.method,
      headers: {
        Authorization: `Bearer ${options.apiKey}`,
        Accept: "application/json",
        ...(isGet ? {} : { "Content-Type": "application/json" }),
      },
      redirect: "error", // a redirect could hand the key to another host
      signal: signal ?? null,
      ...(isGet ? {} : { body: JSON.stringify(params) }),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: bodyOf(await response.text()),
    };
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw connectionError(options, cause);
  }
}

function connectionError({ baseUrl }: RemoteOptions, cause: unknown): ConnectionError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
  return new ConnectionError("connection_failed", `No answer from ${baseUrl}: ${reason}`, {
    value: baseUrl,
    remedy:
      "Check the base URL and the network. The call may have been charged: it is not repeated by itself.",
    cause,
  });
}

/** Codes of failures before the request left this machine. */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Whether the request of a call that failed so never left this machine. */
export function neverSent(error: unknown): boolean {
  const { cause } = error as { cause?: { cause?: { code?: unknown } } };
  return error instanceof ConnectionError && BEFORE_SENDING.has(cause?.cause?.code);
}

/** Values as URL text; a list is a repeated parameter, an undefined value is none. */
function queryText(params: AnyParams): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** The body as JSON, or as text where it is none (a 500, a proxy's page). */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withTypedVectors(response: TransportResponse): TransportResponse {
  const data = (response.body as { data?: unknown } | null)?.data;
  if (Array.isArray(data)) {
    for (const record of data as { vec?: unknown }[]) {
      if (Array.isArray(record?.vec)) record.vec = Float32Array.from(record.vec as number[]);
    }
  }
  return response;
}
