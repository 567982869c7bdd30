import { randomUUID } from "node:crypto";
import { ApiError, ConnectionError } from "../contract/errors.js";
import { wantsField } from "../contract/service/selection.js";
import { BodyTooLarge } from "../network/collect-bytes.js";
import { fetchText } from "../network/fetch-text.js";
import type { SendRequest } from "../network/sender.js";
import type { TransportResponse } from "./answer.js";
import type { AnyParams, SendOptions, Target, Transport } from "./client.js";
import { bodyText, queryText } from "./request-text.js";

/** Options of {@link createRemoteTransport}. */
export interface RemoteOptions {
  /** Base URL without trailing slash; `/v1/…` is appended. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: SendRequest;
  /** Most bytes of an answer. */
  readonly maxAnswerBytes: number;
}

/** Creates a transport over a network. It converts vectors of answers to `Float32Array`s. */
export function createRemoteTransport(options: RemoteOptions): Transport {
  return {
    send: async (target, params, { callId, signal, textual, omit, fields }) => {
      const response = await request(options, target, params, { callId, signal, textual });
      return wantsField({ omit, fields }, "vec") ? withTypedVectors(response) : response;
    },
  };
}

async function request(
  options: RemoteOptions,
  target: Target,
  params: AnyParams,
  {
    callId,
    textual,
    signal = new AbortController().signal,
  }: Pick<SendOptions, "callId" | "signal" | "textual">,
): Promise<TransportResponse> {
  const isGet = target.method === "GET";
  // Of what is refused before it is sent no service gives an id.
  const requestId = callId ?? randomUUID();
  const query = isGet ? queryText(params, requestId, textual === true ? undefined : target.params) : "";
  const url = `${options.baseUrl}${target.path}${query}`;
  const init: RequestInit = {
    method: target.method,
    headers: {
      Authorization: `Bearer ${options.apiKey}`,
      Accept: "application/json",
      ...(isGet ? {} : { "Content-Type": "application/json" }),
      ...(callId === undefined ? {} : { "X-Request-Id": callId }),
    },
    redirect: "error", // a redirect could hand the key to another host
    body: isGet ? undefined : bodyText(params, requestId),
  };
  try {
    const limits = { signal, maxBytes: options.maxAnswerBytes };
    const { status, headers, text } = await fetchText(options.fetch, url, init, limits);
    return { status, headers: Object.fromEntries(headers), body: bodyOf(text) };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw cause instanceof BodyTooLarge ? tooLarge(options, cause) : connectionError(options, cause);
  }
}

function tooLarge({ baseUrl }: RemoteOptions, cause: BodyTooLarge): ConnectionError {
  return new ConnectionError(
    "answer_too_large",
    `The answer of ${baseUrl} has over ${cause.maxBytes} bytes`,
    {
      value: cause.maxBytes,
      remedy: "Ask for less at a time, or raise maxAnswerBytes. The call may have been charged.",
      cause,
    },
  );
}

function connectionError({ baseUrl }: RemoteOptions, cause: unknown): ConnectionError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
  return new ConnectionError("connection_failed", `No answer from ${baseUrl}: ${reason}`, {
    value: baseUrl,
    remedy:
      "Check the base URL and the network. The call may have been charged, so it is not retried automatically.",
    cause,
  });
}

/** Codes of connection failures before the request was sent. */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNTIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Returns true if a call failed before its request was sent. */
export function neverSent(error: unknown): boolean {
  // Parameters that no request can carry.
  if (error instanceof ApiError) return true;
  const { cause } = error as { cause?: { cause?: { code?: unknown } } };
  return error instanceof ConnectionError && BEFORE_SENDING.has(cause?.cause?.code);
}

/** Parses the body as JSON; returns the text if it is not JSON (a 500, a proxy's page). */
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
