import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import type { PostgresAddress } from "../account/store/postgres/postgres-address.js";
import { LakeError } from "../contract/errors.js";
import { counted } from "../contract/quantity.js";
import { SERVE_DEFAULTS } from "./defaults.js";

/** Codes of an account that may be there soon: its database starts, or is slow. */
const PASSING = new Set(["account_unreachable", "account_busy"]);

/**
 * Waits until an account on PostgreSQL can be used, with longer and longer pauses between two tries.
 * @param seconds to wait; 0: one try
 * @param onWait is told why, before each pause
 * @throws LakeError `account_unreachable`, `account_busy` after that time, others at once; the signal's reason
 */
export async function waitForAccount(
  address: PostgresAddress,
  seconds: number,
  onWait: (error: LakeError) => void,
  signal: AbortSignal,
): Promise<void> {
  const { firstPauseMs, longestPauseMs } = SERVE_DEFAULTS.accountWait;
  const end = performance.now() + seconds * 1000;
  for (let pauseMs: number = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const error = await failureOf(address);
    signal.throwIfAborted();
    if (error === undefined) return;
    if (!(error instanceof LakeError) || !PASSING.has(error.code) || seconds === 0) throw error;
    const left = end - performance.now();
    if (left <= 0) throw waitedFor(error, seconds);
    onWait(error);
    // Its end is looked at above.
    await wait(Math.min(pauseMs, left), undefined, { signal }).catch(() => {});
  }
}

/** Why an account cannot be opened; undefined if it can. */
async function failureOf(address: PostgresAddress): Promise<unknown> {
  const { openPostgresAccount } = await import("../account/open-postgres-account.js");
  return openPostgresAccount(address).then(
    (account) => account.close(),
    (error: unknown) => error,
  );
}

function waitedFor({ code, message, value, remedy, cause }: LakeError, seconds: number): LakeError {
  return new LakeError(code, `${message}; waited for ${counted(seconds, "second")}`, {
    value,
    remedy,
    cause,
  });
}
