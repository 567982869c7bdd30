/**
 * What can go wrong with one attempt and be tried again.
 * - `unreachable`: no connection came about
 * - `interrupted`: it broke, stalled, or ended early; what came is kept
 * - `busy`: the source asked to come back later
 * - `mismatch`: the answer is not the file that was asked for
 * - `corrupt`: all of it came, and its hash is wrong
 */
export type FaultKind = "unreachable" | "interrupted" | "busy" | "mismatch" | "corrupt";

/** A failed attempt that may be repeated. It never leaves the pull: {@link Attempts} converts the last one to an error. */
export class TransferFault extends Error {
  constructor(
    /** Kind of fault. */
    readonly kind: FaultKind,
    message: string,
    /** Pause requested by the source in milliseconds, and the cause. */
    readonly options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}
