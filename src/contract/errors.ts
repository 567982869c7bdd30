import { safeJson } from "./safe-json.js";
import { terminalLine, terminalText } from "./terminal-text.js";

/**
 * The service's error table: code, HTTP status, default message (service.md section 7). The codes `invalid_params` and
 * `endpoint_busy` and the message of 401 are specified; the rest is assumed (decisions.md, "Error codes"). The remedy is
 * local: responses never contain it.
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
    remedy: "Call again later; if a local lake answered, mirrorlake doctor names the problem.",
  },
  gateway_timeout: { status: 504, message: "Gateway timeout", label: "assumed", remedy: "Call again later." },
} as const;

/** A message as a sentence: with a full stop, unless it ends as one already. */
export function asSentence(message: string): string {
  return /[.?!]$/.test(message) ? message : `${message}.`;
}

/** A code of the service's error table. */
export type ErrorCode = keyof typeof ERRORS;

/**
 * An error of an API call, with a code of the service's error table.
 * Clients branch on `code` (service.md section 2.2).
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** Code of the error table. */
  readonly code: ErrorCode;
  /** HTTP status of the code. */
  readonly status: number;
  /** Id of the failed request; empty if unknown. */
  readonly requestId: string;
  /** Whole seconds to wait (`Retry-After`); set on 429, sometimes on 503. */
  readonly retryAfterS: number | undefined;
  /** How to fix the problem; with the cause before it, if that is an error of the library in this process. */
  readonly remedy: string;

  /** "Did you mean": a platform or resource with a similar name, if there is one. */
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
      terminalLine(options.message ?? ERRORS[code].message),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = ERRORS[code].status;
    this.requestId = options.requestId ?? "";
    this.retryAfterS = options.retryAfterS;
    this.hint = options.hint === undefined ? undefined : terminalLine(options.hint);
    const { cause } = options;
    this.remedy =
      cause instanceof MirrorlakeError ? `${cause.message}; ${cause.remedy}` : ERRORS[code].remedy;
  }

  /** The value that `JSON.stringify` writes: all fields but the stack and the cause. */
  toJSON() {
    const { name, code, message, status, requestId, retryAfterS, hint, remedy } = this;
    return { name, code, message, status, requestId, retryAfterS, hint, remedy };
  }
}

/** An error of the local library, with a stable `code`, the offending value and a remedy. */
export class MirrorlakeError extends Error {
  override readonly name: string = "MirrorlakeError";
  /** Stable code in snake_case, for programs to branch on. */
  readonly code: string;
  /** The offending value; undefined if there is none. */
  readonly value: unknown;
  /** How to fix the problem, in a sentence. */
  readonly remedy: string;

  /**
   * Creates an error. Characters of message and remedy that steer a terminal are shown as escapes: they come from records, names of
   * files, and servers.
   * @param options.lines whether the message has several lines, as the engine's reports on a statement have
   */
  constructor(
    code: string,
    message: string,
    options: { value?: unknown; remedy: string; cause?: unknown; lines?: boolean },
  ) {
    super(
      options.lines === true ? terminalText(message) : terminalLine(message),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.value = options.value;
    this.remedy = terminalLine(options.remedy);
  }

  /** The value that `JSON.stringify` writes: no stack, no cause, and `value` shortened to JSON of a moderate size. */
  toJSON() {
    const { name, code, message, value, remedy } = this;
    return { name, code, message, value: safeJson(value), remedy };
  }
}

/** A source file that cannot be ingested: unreadable, malformed or over a limit. */
export class IngestError extends MirrorlakeError {
  override readonly name = "IngestError";
}

/** A mapping file or adapter that is not valid. */
export class MappingError extends MirrorlakeError {
  override readonly name = "MappingError";
}

/** A slice that is corrupt, truncated, of another format, or of a newer version. */
export class SliceError extends MirrorlakeError {
  override readonly name = "SliceError";
}

/** A lake that cannot be opened, built or published. */
export class LakeError extends MirrorlakeError {
  override readonly name = "LakeError";
}

/** A disk that is full, or that does not let itself be written. `value` has the path and the bytes wanted and free. */
export class DiskError extends MirrorlakeError {
  override readonly name = "DiskError";
}

/** Slices that cannot be fetched, or differ from their source's index. Unverified slices are never installed. */
export class PullError extends MirrorlakeError {
  override readonly name = "PullError";
}

/** A query over a lake that is rejected, fails, or exceeds its time or memory limit. `value` is the offending part. */
export class SqlError extends MirrorlakeError {
  override readonly name = "SqlError";
}

/** SQL that the engine rejects, or a file that it cannot read. `value` is the statement. */
export class DatabaseError extends MirrorlakeError {
  override readonly name = "DatabaseError";
}

/** A failure of a search index or an embedder. */
export class SearchError extends MirrorlakeError {
  override readonly name = "SearchError";
}

/** A recording that cannot be read or has no answer to a request. */
export class CassetteError extends MirrorlakeError {
  override readonly name = "CassetteError";
}

/** An invalid option or argument of the library or the command line. */
export class UsageError extends MirrorlakeError {
  override readonly name = "UsageError";
}

/**
 * A response outside the service's error table: the plain-text 500, a 405, or a response of another server. `value` is the HTTP
 * status.
 */
export class ResponseError extends MirrorlakeError {
  override readonly name = "ResponseError";
}

/** A call without a response: no connection, connection lost, or timeout. It is unknown whether the call was charged. */
export class ConnectionError extends MirrorlakeError {
  override readonly name = "ConnectionError";
}

/** A call that was not sent because it could exceed the client's remaining budget. */
export class BudgetError extends MirrorlakeError {
  override readonly name = "BudgetError";
}
