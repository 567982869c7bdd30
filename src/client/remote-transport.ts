import { ConnectionError } from "../contract/errors.js";
import { type MicroUsd, parseUsd, ZERO_USD } from "../contract/money.js";
import type { TransportResponse } from "./answer.js";
import type { Budget } from "./budget.js";
import type { AnyParams, Target, Transport } from "./client.js";
import type { Fetch } from "./lake-fetch.js";
import { pauseMs, type RetryPolicy } from "./retry.js";

/** What a {@link createRemoteTransport} needs. */
export interface RemoteOptions {
  /** Base URL without trailing slash; `/v1/…` is appended. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
  /** Time one attempt may take, ms. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly budget: Budget;
}

/** Statuses that are tried again: both are free of charge (service.md section 7). */
const RETRIED: ReadonlySet<number> = new Set([429, 503]);

/** Calls the service over a network: retries, timeouts, budget. Vectors of answers become `Float32Array`s. */
export function createRemoteTransport(options: RemoteOptions): Transport {
  const { budget, retry } = options;

  async function attempt(
    target: Target,
    params: AnyParams,
    signal?: AbortSignal,
  ): Promise<TransportResponse> {
    const reservation = budget.reserve(target.price);
    try {
      const response = await request(options, target, params, signal);
      reservation.settle(chargedBy(response));
      return response;
    } catch (error) {
      if (neverSent(error)) reservation.settle(ZERO_USD);
      else reservation.assumeSpent();
      throw error;
    }
  }

  return {
    async send(target, params, { signal }) {
      for (let tries = 1; ; tries++) {
        signal?.throwIfAborted();
        const response = await attempt(target, params, signal);
        if (!RETRIED.has(response.status)) return withTypedVectors(response);
        const pause = pauseMs(retry, tries, response.headers["retry-after"]);
        if (pause === undefined) return response;
        await retry.sleep(pause, signal);
      }
    },
  };
}

async function request(
  options: RemoteOptions,
  target: Target,
  params: AnyParams,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
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
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(isGet ? {} : { body: JSON.stringify(params) }),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: bodyOf(await response.text()),
    };
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw connectionError(options, timeout.aborted, cause);
  }
}

function connectionError(
  { baseUrl, timeoutMs }: RemoteOptions,
  timedOut: boolean,
  cause: unknown,
): ConnectionError {
  if (timedOut)
    return new ConnectionError("timeout", `No answer from ${baseUrl} within ${timeoutMs} ms`, {
      value: baseUrl,
      remedy: "Raise timeoutMs. The call may have been charged: it is not repeated by itself.",
      cause,
    });
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

function neverSent(error: unknown): boolean {
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

function chargedBy({ status, body }: TransportResponse): MicroUsd {
  const charged = (body as { meta?: { charged_usd?: unknown } } | null)?.meta?.charged_usd;
  return status === 200 && typeof charged === "string" ? parseUsd(charged) : ZERO_USD;
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
