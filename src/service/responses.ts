import type { Charge, Rate } from "../account/account.js";
import type { ApiError } from "../contract/errors.js";
import { formatUsd } from "../contract/money.js";
import { METHOD_NOT_ALLOWED } from "../contract/service/envelope.js";
import type { HandlerResult } from "../endpoints/handler.js";
import { headerText } from "../endpoints/header-text.js";
import type { ServiceResponse } from "./pipeline.js";

/** The response to a method that a path does not take. @param allow methods that it takes */
export function methodNotAllowed(requestId: string, allow: readonly string[]): ServiceResponse {
  return {
    status: 405,
    headers: { "X-Request-Id": requestId, Allow: allow.join(", ") },
    body: METHOD_NOT_ALLOWED,
  };
}

/** The response to a call that was executed. */
export function success(
  requestId: string,
  { data, empty, headers: local, ranks }: HandlerResult,
  charge: Charge,
  rate: Rate,
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
    ...local,
  };
  return { status: 200, headers, body: { request_id: requestId, data, meta }, ranks };
}

/** The response to a call that failed; `rate` where the rate window was asked. */
export function failure(requestId: string, error: ApiError, rate: Rate | undefined): ServiceResponse {
  const headers = {
    "X-Request-Id": requestId,
    ...(rate === undefined ? {} : rateHeaders(rate)),
    ...(error.hint === undefined ? {} : { "X-Mirrorlake-Hint": headerText(error.hint) }),
    ...(error.retryAfterS === undefined ? {} : { "Retry-After": String(error.retryAfterS) }),
  };
  const body = { error: { code: error.code, message: error.message, request_id: requestId } };
  const { cause, status } = error;
  return { status, headers, body, error: status < 500 ? undefined : cause };
}

function rateHeaders(rate: Rate): Record<string, string> {
  return { "X-RateLimit-Limit": String(rate.limit), "X-RateLimit-Remaining": String(rate.remaining) };
}
