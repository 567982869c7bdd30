import type { Account, Hold, Principal, Rate } from "../account/account.js";
import type { EndpointCaps } from "../account/endpoint-caps.js";
import type { Clock } from "../clock.js";
import { errorValue } from "../contract/error-value.js";
import { ApiError, type ErrorCode, UsageError } from "../contract/errors.js";
import {
  type CatalogueSource,
  currentCatalogue,
  madeOfCatalogue,
} from "../contract/service/catalogue/catalogue-source.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";
import {
  type Envelope,
  type ErrorEnvelope,
  type METHOD_NOT_ALLOWED,
  SERVER_ERROR_TEXT,
} from "../contract/service/envelope.js";
import { type Selection, wantsField } from "../contract/service/selection.js";
import { shown } from "../contract/shown-value.js";
import type { CallTrace } from "../endpoints/call-trace.js";
import type { Handler, HandlerContext, HandlerResult } from "../endpoints/handler.js";
import type { WireFault } from "../faults/wire-fault.js";
import { keyHint } from "./api-key-header.js";
import { asApiError } from "./as-api-error.js";
import { type AsOfRule, asOfMsOf, rawAsOfMsOf } from "./as-of-rule.js";
import { guardHook } from "./guard-hook.js";
import { type RequestParams, readParams } from "./read-params.js";
import { failure, methodNotAllowed, success } from "./responses.js";
import { routeHint } from "./route-hint.js";
import { compileRoutes } from "./router.js";
import { isSent, isUuid, paramsDigest, requestIdOf } from "./sent-id.js";

/** One call, as a transport passes it to the service. */
export interface ServiceRequest extends RequestParams {
  readonly method: string;
  /** Path of the URL, percent-encoded, with `/v1` and without the query. */
  readonly path: string;
  readonly apiKey?: string;
  /** Id of the request; default: a new one. */
  readonly requestId?: string;
  /**
   * Id that the caller chose, of any shape: a call that is repeated with it, and with the same parameters, is charged once. It is the
   * id of the request if it has the shape of a UUID, and is turned into one otherwise.
   */
  readonly sentId?: string | undefined;
  readonly signal?: AbortSignal;
  /**
   * Fields that the caller will look at; handlers do not read others where that costs something. The answer may still have them. Only for
   * callers in process.
   */
  readonly selection?: Selection;
  /** Gets times and outcome of the call; see `observeCalls`. */
  readonly trace?: CallTrace | undefined;
}

/** One response; each transport converts it to its own form. */
export interface ServiceResponse {
  readonly status: number;
  /** Headers, with names in the case of service.md section 8. */
  readonly headers: Readonly<Record<string, string>>;
  /** The envelope (vectors as typed arrays), the error envelope, `{detail}` of a 405, or the text of a 500. */
  readonly body: Envelope | ErrorEnvelope | typeof METHOD_NOT_ALLOWED | string;
  /** The error behind a 500 or 503, for in-process callers; never sent over a network. */
  readonly error?: unknown;
  /** Which ranking found each record of a search, for in-process callers; never sent over a network. */
  readonly ranks?: HandlerResult["ranks"];
  /** A fault that the transport makes of the answer, for tests; see `FaultInjector`. */
  readonly wire?: WireFault | undefined;
}

/** The service: one pipeline behind every transport. */
export interface Service {
  /** The endpoints of the service: those of the moment. */
  readonly catalogue: readonly EndpointSpec[];
  /**
   * Answers one call. Every outcome is a response, including unexpected exceptions (500). It rejects only with the
   * reason of `request.signal`, if aborted before the response; nothing is charged then.
   */
  call(request: ServiceRequest): Promise<ServiceResponse>;
}

/** One generation of a lake: its records, raw items and index. */
export type LakeView = Pick<HandlerContext, "corpus" | "index">;

/** An open lake. */
export interface OpenLake {
  /**
   * Leases the current generation to one call. It stays open until the call ends, even if another is installed.
   * @param signal ends the lease of a caller that went away
   */
  use<T>(work: (view: LakeView) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Dependencies and options of a service. */
export interface ServiceOptions {
  readonly lake: OpenLake;
  readonly account: Account;
  readonly caps: EndpointCaps;
  readonly catalogue: CatalogueSource;
  /** Handlers of the catalogue's operations, by name. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** The service clock. */
  readonly clock: Clock;
  /** Reference time of `freshness`: newest capture in the corpus, service clock, or ms since the Unix epoch. */
  readonly asOf: AsOfRule;
  /** Source of request ids: strings in UUID format. A call for which it throws, or gives anything else, is a 500. */
  readonly ids: () => string;
  /** `off` disables the endpoint caps; the account has its own option for the rate window. */
  readonly limits?: "on" | "off";
  /**
   * Called with each exception behind a 500 or 503, once nothing is held for the call any more. What it throws, or rejects with, changes
   * no answer: it is a warning of the process, with the code `hook_failed`.
   */
  readonly onError?: (error: unknown, request: { readonly requestId: string; readonly path: string }) => void;
}

/**
 * Creates the service. A call runs these steps in order (decisions.md): method → key → route → scope → parameters →
 * account rate → endpoint cap → funds → execute → charge only a non-empty 200.
 */
export function createService(options: ServiceOptions): Service {
  const { account, caps, clock, lake } = options;
  const catalogueNow = () => currentCatalogue(options.catalogue);
  const routes = madeOfCatalogue(options.catalogue, compileRoutes);
  const capped = options.limits !== "off";
  const onError = guardHook("onError", options.onError);

  async function answer(
    request: ServiceRequest,
    requestId: string,
    progress: CallProgress,
  ): Promise<ServiceResponse> {
    const { trace } = request;
    const { endpoint, allow, pathParams } = routes()(request.method, request.path);
    if (endpoint === undefined && !allow.includes(request.method)) {
      if (trace !== undefined) trace.code = "method_not_allowed";
      return methodNotAllowed(requestId, allow);
    }

    const principal = await account.authenticate(request.apiKey);
    trace?.mark("authenticate");
    if (principal === undefined) throw new ApiError("invalid_api_key", { hint: keyHint(request.apiKey) });
    progress.principal = principal;
    if (endpoint === undefined)
      throw new ApiError("not_found", { hint: routeHint(request.path, catalogueNow()) });
    progress.endpoint = endpoint;
    if (trace !== undefined) trace.endpoint = endpoint;
    if (!account.permits(principal, endpoint.scope)) throw new ApiError("forbidden");
    const params = readParams(endpoint, request, pathParams);

    progress.rate = await account.takeRate(principal);
    if (!progress.rate.allowed) throw new ApiError("rate_limited", progress.rate);
    const cap = capped ? caps.take(endpoint.id, endpoint.capPerSecond) : NO_CAP;
    if (!cap.allowed) throw new ApiError("endpoint_busy", cap);
    trace?.mark("admit");
    const digest = isSent(request) ? paramsDigest(params) : undefined;
    const hold = await account.hold(principal, endpoint, { requestId, digest, signal: request.signal });
    if (hold === undefined) throw new ApiError("insufficient_credits");
    progress.hold = hold;
    trace?.mark("hold");
    if (trace !== undefined) trace.held = hold.amount;

    const result = await lake.use(async (view) => {
      const context = await contextOf(view, request, requestId, endpoint, principal);
      const made = await handlerOf(endpoint)(params as never, { ...context, digest });
      trace?.mark("read");
      return made;
    }, request.signal);
    trace?.mark("confirm");
    request.signal?.throwIfAborted();
    const charge = await (result.empty ? hold.release(requestId, "empty") : hold.charge(requestId));
    trace?.settle(result.empty ? "empty" : "ok", charge);
    return success(requestId, result, charge, progress.rate);
  }

  /** Converts the error of a failed call to a response; nothing is charged. */
  async function fail(
    error: unknown,
    request: ServiceRequest,
    requestId: string,
    progress: CallProgress,
  ): Promise<ServiceResponse> {
    const known = asApiError(error);
    const isAborted = request.signal?.aborted === true;
    request.trace?.mark("failed");
    const thrown: unknown[] = (known === undefined || known.status >= 500) && !isAborted ? [error] : [];
    try {
      await settle(isAborted ? "aborted" : (known?.code ?? "internal_error"), requestId, progress);
    } catch (accountError) {
      thrown.push(accountError); // the call is not recorded, but the response stays the same
    }
    for (const one of thrown) onError?.(one, { requestId, path: request.path });
    request.trace?.settle(isAborted ? "aborted" : (known?.code ?? "internal_error"));
    if (request.trace !== undefined && (known?.status ?? 500) >= 500)
      request.trace.error = known?.cause ?? error;
    if (known !== undefined) return failure(requestId, known, progress.rate);
    return { status: 500, headers: { "X-Request-Id": requestId }, body: SERVER_ERROR_TEXT, error };
  }

  /** Releases the hold of a failed call, or records its refusal: one ledger entry with amount zero. */
  async function settle(
    code: ErrorCode | "aborted" | "internal_error",
    requestId: string,
    progress: CallProgress,
  ): Promise<void> {
    const { endpoint, hold, principal } = progress;
    if (hold !== undefined) await hold.release(requestId, code);
    else if (principal !== undefined && code !== "aborted" && code !== "internal_error")
      await account.refuse(principal, {
        requestId,
        code,
        endpointId: endpoint?.id,
      });
  }

  async function contextOf(
    { corpus, index }: LakeView,
    request: ServiceRequest,
    requestId: string,
    endpoint: EndpointSpec,
    principal: Principal,
  ): Promise<HandlerContext> {
    const rawAsOfMs = () => rawAsOfMsOf(options.asOf, corpus, clock);
    const asOfMs = corpus.recordCount === 0 ? await rawAsOfMs() : asOfMsOf(options.asOf, corpus, clock);
    const { selection = {} } = request;
    const wants = (field: string) => wantsField(selection, field);
    const context: HandlerContext = {
      corpus,
      index,
      account,
      principal,
      clock,
      asOfMs,
      rawAsOfMs,
      catalogue: catalogueNow(),
      endpoint,
      requestId,
      wants,
      trace: request.trace,
    };
    return request.signal === undefined ? context : { ...context, signal: request.signal };
  }

  function handlerOf(endpoint: EndpointSpec): Handler {
    const handler = options.handlers[endpoint.operation];
    if (handler === undefined)
      throw new Error(`no handler for operation ${endpoint.operation} of ${endpoint.id}`);
    return handler;
  }

  /** @throws UsageError `invalid_options`; what `ids` throws */
  function newId(): string {
    const id: unknown = options.ids();
    if (isUuid(id)) return id;
    throw new UsageError("invalid_options", `ids gave ${shown(id)}, it must give a UUID`, {
      value: errorValue(id),
      remedy: "give ids as a function such as randomUUID of node:crypto, or leave it out",
    });
  }

  return {
    get catalogue() {
      return catalogueNow();
    },
    async call(request) {
      const given = request.requestId ?? (isSent(request) ? requestIdOf(request.sentId) : undefined);
      let requestId = given ?? NO_ID;
      const progress: CallProgress = {};
      if (request.trace !== undefined) request.trace.requestId = requestId;
      try {
        if (given === undefined) requestId = newId();
        if (request.trace !== undefined) request.trace.requestId = requestId;
        request.signal?.throwIfAborted();
        return await answer(request, requestId, progress);
      } catch (error) {
        const response = await fail(error, request, requestId, progress);
        if (request.signal?.aborted === true) throw request.signal.reason;
        return response;
      }
    },
  };
}

/** Id of a call that none could be made for. */
const NO_ID = "00000000-0000-0000-0000-000000000000";

const NO_CAP = { allowed: true, retryAfterS: 0 } as const;

/** Results of a call's steps so far, for the response if it fails. */
interface CallProgress {
  principal?: Principal;
  endpoint?: EndpointSpec;
  rate?: Rate;
  hold?: Hold;
}
