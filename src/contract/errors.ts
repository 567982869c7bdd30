import { safeJson } from "./safe-json.js";

/**
 * The service's error table: code, HTTP status, default message (service.md section 7). The codes `invalid_params` and
 * `endpoint_busy` and the message of 401 are specified; the rest is assumed (decisions.md, "Error codes"). The remedy is
 * local: it is on the error, never on the wire.
 */
export const ERRORS = {
  invalid_params: {
    status: 400,
    message: "Invalid parameters",
    label: "specified",
    remedy: "Change the parameter that the message names; the endpoint's row in the catalogue has them all.",
  },
  invalid_api_key: {
    status: 401,
    message: "Invalid API key",
    label: "assumed",
    remedy: "Use a key of this account that is not revoked: mirrorlake keys list, or keys create.",
  },
  insufficient_credits: {
    status: 402,
    message: "Insufficient credits",
    label: "assumed",
    remedy: "Add to the balance: mirrorlake account topup, or POST /v1/account/topup.",
  },
  forbidden: {
    status: 403,
    message: "Forbidden",
    label: "assumed",
    remedy: "Use a key that has the endpoint's scope: mirrorlake keys create --scope.",
  },
  not_found: {
    status: 404,
    message: "Not found",
    label: "assumed",
    remedy: "Use a platform and resource of the catalogue: mirrorlake catalogue list.",
  },
  rate_limited: {
    status: 429,
    message: "Rate limited",
    label: "assumed",
    remedy: "Wait for the seconds of Retry-After, then call again; the first top-up raises the limit.",
  },
  endpoint_busy: {
    status: 429,
    message: "Endpoint busy",
    label: "specified",
    remedy: "Wait for the seconds of Retry-After, then call again.",
  },
  bad_gateway: { status: 502, message: "Bad gateway", label: "assumed", remedy: "Call again later." },
  service_unavailable: {
    status: 503,
    message: "Service unavailable",
    label: "assumed",
    remedy: "Call again later; if a local lake answered, mirrorlake doctor says what it lacks.",
  },
  gateway_timeout: { status: 504, message: "Gateway timeout", label: "assumed", remedy: "Call again later." },
} as const;

/** A code of the service's error table. */
export type ErrorCode = keyof typeof ERRORS;

/**
 * An error that a caller of the API sees, in the service's own terms.
 * Clients branch on `code` (service.md section 2.2).
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** Which row of the error table it is. */
  readonly code: ErrorCode;
  /** HTTP status of the code. */
  readonly status: number;
  /** Id of the request that failed; empty where none is known. */
  readonly requestId: string;
  /** Whole seconds to wait, present on 429 and perhaps on 503 (`Retry-After`). */
  readonly retryAfterS: number | undefined;
  /** What to do about it, for people. */
  readonly remedy: string;

  /** What was probably meant, where that is known: a platform or resource of a similar name. */
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    options: {
      message?: string;
      requestId?: string;
      retryAfterS?: number;
      hint?: string;
      cause?: unknown;
    } = {},
  ) {
    super(
      options.message ?? ERRORS[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = ERRORS[code].status;
    this.requestId = options.requestId ?? "";
    this.retryAfterS = options.retryAfterS;
    this.hint = options.hint;
    this.remedy = ERRORS[code].remedy;
  }

  /** What `JSON.stringify` writes: all that a log needs to say what happened, without the stack and the cause. */
  toJSON() {
    const { name, code, message, status, requestId, retryAfterS, hint, remedy } = this;
    return { name, code, message, status, requestId, retryAfterS, hint, remedy };
  }
}

/** What went wrong in the local library, with a stable `code`, the offending value and what to do about it. */
export class MirrorlakeError extends Error {
  override readonly name: string = "MirrorlakeError";
  /** Stable, in snake_case: what a program branches on. */
  readonly code: string;
  /** The offending value; undefined where there is none. */
  readonly value: unknown;
  /** What to do about it, for people. */
  readonly remedy: string;

  constructor(code: string, message: string, options: { value?: unknown; remedy: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.value = options.value;
    this.remedy = options.remedy;
  }

  /** What `JSON.stringify` writes, without the stack and the cause. `value` is cut down to JSON of a moderate size. */
  toJSON() {
    const { name, code, message, value, remedy } = this;
    return { name, code, message, value: safeJson(value), remedy };
  }
}

/** A source file that cannot be ingested: unreadable, not what it claims to be, over a limit. */
export class IngestError extends MirrorlakeError {
  override readonly name = "IngestError";
}

/** A mapping file or adapter that is not valid. */
export class MappingError extends MirrorlakeError {
  override readonly name = "MappingError";
}

/** A slice that is corrupt, truncated, foreign, or of a newer format. */
export class SliceError extends MirrorlakeError {
  override readonly name = "SliceError";
}

/** A lake that cannot be opened, built or published. */
export class LakeError extends MirrorlakeError {
  override readonly name = "LakeError";
}

/** Slices that cannot be fetched, or are not what their source's index says. Nothing that is not verified is installed. */
export class PullError extends MirrorlakeError {
  override readonly name = "PullError";
}

/** A query over a lake that is refused, fails, or takes more time or memory than it may. `value` is the offending part. */
export class SqlError extends MirrorlakeError {
  override readonly name = "SqlError";
}

/** SQL that the engine refuses, or a file that it cannot read: `value` is the statement. */
export class DatabaseError extends MirrorlakeError {
  override readonly name = "DatabaseError";
}

/** A search index or an embedder that cannot do what it was asked. */
export class SearchError extends MirrorlakeError {
  override readonly name = "SearchError";
}

/** An option or argument of the library or the command line that is not valid. */
export class UsageError extends MirrorlakeError {
  override readonly name = "UsageError";
}

/**
 * An answer outside the service's error table: the plain-text 500, a 405, or one that does not come from the service
 * at all. `value` is the HTTP status.
 */
export class ResponseError extends MirrorlakeError {
  override readonly name = "ResponseError";
}

/** A call that got no answer: no connection, cut off, or out of time. Whether it was charged cannot be known. */
export class ConnectionError extends MirrorlakeError {
  override readonly name = "ConnectionError";
}

/** A call that was not made because it could have cost more than the client's budget has left. */
export class BudgetError extends MirrorlakeError {
  override readonly name = "BudgetError";
}
