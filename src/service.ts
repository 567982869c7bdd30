import type { Account, Charge, EndpointCaps, Principal, Rate } from "./account/account.js";
import type { Clock } from "./clock.js";
import type { EndpointSpec } from "./contract/endpoint.js";
import {
  type Envelope,
  type ErrorEnvelope,
  METHOD_NOT_ALLOWED,
  SERVER_ERROR_TEXT,
} from "./contract/envelope.js";
import { ApiError } from "./contract/errors.js";
import { formatUsd } from "./contract/money.js";
import type { Handler, HandlerContext } from "./endpoints/handler.js";
import { type RequestParams, readParams } from "./service/params.js";
import { compileRoutes } from "./service/router.js";

/** One call, as every door hands it over. */
export interface ServiceRequest extends RequestParams {
  readonly method: string;
  /** Path of the URL, percent-encoded as it came, `/v1` included, without the query. */
  readonly path: string;
  readonly apiKey?: string;
  /** Id of the request; a new one where absent. */
  readonly requestId?: string;
  readonly signal?: AbortSignal;
}

/** One answer, which every door translates into its own form. */
export interface ServiceResponse {
  readonly status: number;
  /** Names in the case of service.md section 8. */
  readonly headers: Readonly<Record<string, string>>;
  /** The envelope (vectors as typed arrays), the error envelope, `{detail}` of a 405, or the text of a 500. */
  readonly body: Envelope | ErrorEnvelope | typeof METHOD_NOT_ALLOWED | string;
  /** What was thrown, on a 500: for the in-process caller, never sent over a network. */
  readonly error?: unknown;
}

/** The service: one pipeline behind every door. */
export interface Service {
  /**
   * Answers one call. Every outcome is an answer, unexpected exceptions included (500); it rejects only with the
   * reason of `request.signal`, when that is aborted before the answer is there, and nothing is charged then.
   */
  call(request: ServiceRequest): Promise<ServiceResponse>;
}

/** What the service is made of; all that varies is injected. */
export interface ServiceOptions {
  /** The open corpus and its index; read anew for every call, so that a refreshed lake is seen at once. */
  readonly lake: Pick<HandlerContext, "corpus" | "index">;
  readonly account: Account;
  readonly caps: EndpointCaps;
  readonly catalogue: readonly EndpointSpec[];
  /** Handler of each operation that the catalogue names. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** The service clock. */
  readonly clock: Clock;
  /** The "now" of `freshness`: newest capture in the corpus, the system's clock, or a fixed instant in ms. */
  readonly asOf: "corpus" | "system" | number;
  /** Source of request ids: strings of UUID shape. */
  readonly ids: () => string;
  /** `off` answers calls over the rate and the caps all the same; what they are is still told. */
  readonly limits?: "on" | "off";
  /** Told of every unexpected exception behind a 500. */
  readonly onError?: (error: unknown, request: { readonly requestId: string; readonly path: string }) => void;
}

/**
 * Builds the service. `call` reads like the order of checks of decisions.md: method → key → route → scope → parameters →
 * account rate → endpoint cap → funds → execute → charge only a non-empty 200.
 */
export function createService(options: ServiceOptions): Service {
  const { account, caps, clock, lake } = options;
  const route = compileRoutes(options.catalogue);
  const enforced = options.limits !== "off";

  async function answer(request: ServiceRequest, requestId: string, seen: Seen): Promise<ServiceResponse> {
    const { endpoint, allow, pathParams } = route(request.method, request.path);
    if (endpoint === undefined && !allow.includes(request.method)) return methodNotAllowed(requestId, allow);

    const principal = account.authenticate(request.apiKey);
    if (principal === undefined) throw new ApiError("invalid_api_key");
    if (endpoint === undefined) throw new ApiError("not_found");
    if (!account.permits(principal, endpoint.scope)) throw new ApiError("forbidden");
    const params = readParams(endpoint, request, pathParams);

    seen.rate = account.takeRate(principal);
    if (enforced && !seen.rate.allowed) throw new ApiError("rate_limited", seen.rate);
    const cap = caps.take(endpoint.id, endpoint.capPerSecond);
    if (enforced && !cap.allowed) throw new ApiError("endpoint_busy", cap);
    const hold = account.hold(principal, endpoint);
    if (hold === undefined) throw new ApiError("insufficient_credits");

    try {
      const result = await handlerOf(endpoint)(
        params as never,
        contextOf(request, requestId, endpoint, principal),
      );
      request.signal?.throwIfAborted();
      const charge = result.empty ? hold.release(requestId) : await hold.charge(requestId);
      return success(requestId, result.data, result.empty, charge, seen.rate, result.headers);
    } catch (error) {
      hold.release(requestId);
      throw error;
    }
  }

  function contextOf(
    request: ServiceRequest,
    requestId: string,
    endpoint: EndpointSpec,
    principal: Principal,
  ): HandlerContext {
    const { corpus, index } = lake;
    const asOfMs =
      options.asOf === "corpus" ? corpus.asOfMs : options.asOf === "system" ? clock.now() : options.asOf;
    const signal = request.signal === undefined ? {} : { signal: request.signal };
    return { corpus, index, account, principal, clock, asOfMs, endpoint, requestId, ...signal };
  }

  function handlerOf(endpoint: EndpointSpec): Handler {
    const handler = options.handlers[endpoint.operation];
    if (handler === undefined)
      throw new Error(`no handler for operation ${endpoint.operation} of ${endpoint.id}`);
    return handler;
  }

  return {
    async call(request) {
      const requestId = request.requestId ?? options.ids();
      const seen: Seen = {};
      try {
        request.signal?.throwIfAborted();
        return await answer(request, requestId, seen);
      } catch (error) {
        if (error instanceof ApiError) return failure(requestId, error, seen.rate);
        if (request.signal?.aborted === true) throw request.signal.reason;
        options.onError?.(error, { requestId, path: request.path });
        return { status: 500, headers: { "X-Request-Id": requestId }, body: SERVER_ERROR_TEXT, error };
      }
    },
  };
}

/** What a call has learnt by the time it fails. */
interface Seen {
  rate?: Rate;
}

function methodNotAllowed(requestId: string, allow: readonly string[]): ServiceResponse {
  return {
    status: 405,
    headers: { "X-Request-Id": requestId, Allow: allow.join(", ") },
    body: METHOD_NOT_ALLOWED,
  };
}

function success(
  requestId: string,
  data: unknown,
  empty: boolean,
  charge: Charge,
  rate: Rate,
  extra: Readonly<Record<string, string>> = {},
): ServiceResponse {
  const meta = {
    billed: charge.billed,
    charged_usd: formatUsd(charge.charged),
    used_free_quota: charge.usedFreeQuota,
    free_quota_remaining: charge.freeQuotaRemaining,
    balance_usd: formatUsd(charge.balance),
    empty,
  };
  const headers = {
    "X-Request-Id": requestId,
    ...rateHeaders(rate),
    "X-Service-Charged": meta.charged_usd,
    "X-Service-Balance": meta.balance_usd,
    ...extra,
  };
  return { status: 200, headers, body: { request_id: requestId, data, meta } };
}

function failure(requestId: string, error: ApiError, rate: Rate | undefined): ServiceResponse {
  const headers = {
    "X-Request-Id": requestId,
    ...(rate === undefined ? {} : rateHeaders(rate)),
    ...(error.retryAfterS === undefined ? {} : { "Retry-After": String(error.retryAfterS) }),
  };
  const body = { error: { code: error.code, message: error.message, request_id: requestId } };
  return { status: error.status, headers, body };
}

function rateHeaders(rate: Rate): Record<string, string> {
  return { "X-RateLimit-Limit": String(rate.limit), "X-RateLimit-Remaining": String(rate.remaining) };
}
