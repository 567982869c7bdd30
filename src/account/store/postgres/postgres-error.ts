import { LakeError } from "../../../contract/errors.js";
import { shownAddress } from "./postgres-address.js";

/** SQLSTATE of what ends by itself: serialization failure, deadlock, lock not available, no free connection. */
const BUSY = new Set(["40001", "40P01", "55P03", "53300"]);
/** SQLSTATE classes and codes of a server that goes or is not there yet: connection exceptions, operator intervention. */
const GONE = /^(?:08...|57P0[1-5]|25P03)$/;
const NOT_ALLOWED = new Set(["42501", "28000", "28P01", "3D000"]);
/** SQLSTATE of a statement that writes where nothing may be written: of a replica, or a database that was made read-only. */
const READ_ONLY = "25006";
const SYSTEM = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
]);
const FULL = "53100";

/** Marks an error of a commit of unknown outcome: the connection was lost before the server answered. */
export class CommitLost extends Error {
  override readonly name = "CommitLost";
}

/** Whether the transaction can succeed when it runs again. */
export function isBusy(error: unknown): boolean {
  return BUSY.has(codeOf(error));
}

/** Whether the connection is lost, or was not made. */
export function isGone(error: unknown): boolean {
  const code = codeOf(error);
  return GONE.test(code) || SYSTEM.has(code) || isNoSocket(error) || isConnectionEnd(error);
}

/** Whether an error is of the server or of the way to it, as opposed to one of the calling code. */
export function isEngineError(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error)) || isGone(error);
}

/** Converts an error of the server or the way to it to a LakeError; returns any other error unchanged. */
export function postgresError(address: string, error: unknown): unknown {
  const shown = shownAddress(address);
  const why = error instanceof Error ? error.message || codeOf(error) : String(error);
  const options = { value: shown, cause: error };
  if (error instanceof CommitLost)
    return new LakeError("account_commit_unknown", `The connection to ${shown} was lost during a commit`, {
      ...options,
      remedy:
        "The call may have been charged. Repeat it with the X-Request-Id that it was sent with: it is charged once.",
    });
  if (isBusy(error))
    return new LakeError("account_busy", `Other servers keep the account ${shown} busy`, {
      ...options,
      remedy: "Nothing was charged. Try again.",
    });
  if (isGone(error))
    return new LakeError("account_unreachable", `The account ${shown} cannot be reached: ${why}`, {
      ...options,
      remedy: "Nothing was charged. Check that PostgreSQL runs there and takes connections from here.",
    });
  const unusable = remedyOf(error);
  if (unusable !== undefined)
    return new LakeError("account_not_writable", `The account ${shown} cannot be used: ${why}`, {
      ...options,
      remedy: unusable,
    });
  if (codeOf(error) === FULL)
    return new LakeError("ledger_write_failed", `The account ${shown} cannot be written: ${why}`, {
      ...options,
      remedy: "Nothing was charged. Free space on the server's disk, then call again.",
    });
  return error;
}

/** What is to be changed where an account cannot be used as it is; undefined for other errors. */
function remedyOf(error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === READ_ONLY)
    return "Nothing was charged. Name a server that takes writes: the primary, not a replica of it.";
  if (isTls(error))
    return "Have sslmode in the address say what the server has: leave it out for one without TLS, or give it a certificate that this machine trusts.";
  if (NOT_ALLOWED.has(code) || isPassword(error))
    return "Check user, password and database, and that the user may create a schema or write to mirrorlake's.";
  return undefined;
}

/** The driver has no code for a password that is missing, or a server that does not know it. */
function isPassword(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("SASL: ");
}

/** Whether a connection was refused for its TLS, or the lack of it. */
function isTls(error: unknown): boolean {
  return (
    /^(?:ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(codeOf(error)) ||
    (error instanceof Error && error.message === "The server does not support SSL connections")
  );
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** Whether there is no socket at the path of an address: the server is not up. */
function isNoSocket(error: unknown): boolean {
  return codeOf(error) === "ENOENT" && (error as NodeJS.ErrnoException).syscall === "connect";
}

/** The driver has no code for a connection that ends under a query. */
function isConnectionEnd(error: unknown): boolean {
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Client has encountered a connection error|timeout expired|Query read timeout)/.test(
      error.message,
    )
  );
}
