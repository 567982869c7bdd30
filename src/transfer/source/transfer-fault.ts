/**
 * What can go wrong with one attempt and be tried again.
 * - `unreachable`: no connection came about
 * - `interrupted`: it broke, stalled, or ended early; what came is kept
 * - `busy`: the source asked to come back later
 * - `mismatch`: the answer is not the file that was asked for
 * - `corrupt`: all of it came, and its hash is wrong
 */
export type FaultKind = "unreachable" | "interrupted" | "busy" | "mismatch" | "corrupt";

/** An attempt that failed and may be repeated. It never leaves the pull: {@link Attempts} makes an error of the last one. */
export class TransferFault extends Error {
  constructor(
    /** What went wrong. */
    readonly kind: FaultKind,
    message: string,
    /** How long the source asked to wait, in milliseconds, and what the fault comes from. */
    readonly options: { readonly retryAfterMs?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
  }
}
