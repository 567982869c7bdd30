import { PullError } from "../../contract/errors.js";
import { PULL_DEFAULTS } from "../pull/defaults.js";
import type { PullEnvironment } from "./environment.js";
import type { FaultKind, TransferFault } from "./transfer-fault.js";

/** Limits of repeated attempts. */
export interface AttemptPolicy {
  /** Maximum attempts in a row without progress. */
  readonly retries: number;
  /** Maximum attempts that reach no server. Default: `retries`. */
  readonly unreachableRetries?: number;
  readonly environment: PullEnvironment;
  readonly signal?: AbortSignal | undefined;
}

/** Error of the last attempt, by kind of fault. */
const GIVEN_UP: Readonly<Record<FaultKind, { readonly code: string; readonly remedy: string }>> = {
  unreachable: {
    code: "source_unreachable",
    remedy:
      "connect to the network and check the address, and the proxy if one is named; or pull from a folder or .zip that was fetched elsewhere",
  },
  interrupted: { code: "transfer_interrupted", remedy: "run it again: what has come is kept, and resumed" },
  busy: { code: "source_busy", remedy: "run it again later: what has come is kept, and resumed" },
  mismatch: {
    code: "file_mismatch",
    remedy:
      "the source serves other files than it published; inform its publisher, or pull from another copy",
  },
  corrupt: {
    code: "file_corrupt",
    remedy: "the source's copy is damaged, or something on the way changes it; pull from another copy",
  },
};

/**
 * Counts the failed attempts at one thing, and pauses between them: as long as the source asked (`Retry-After`, RFC 9110
 * section 10.2.3, never sooner, up to a tenth later), else a time that doubles, its upper half drawn at random.
 */
export class Attempts {
  private fruitless = 0;
  private restarts = 0;

  constructor(
    private readonly what: string,
    private readonly policy: AttemptPolicy,
  ) {}

  /** Resets the count after progress. */
  progressed(): void {
    this.fruitless = 0;
  }

  /** Waits before the next attempt. @throws PullError after the last one */
  async after(fault: TransferFault): Promise<void> {
    const isRestart = fault.kind === "mismatch" || fault.kind === "corrupt";
    if (isRestart) this.restarts++;
    else this.fruitless++;
    const { environment, signal, retries, unreachableRetries = retries } = this.policy;
    const allowed = fault.kind === "unreachable" ? Math.min(retries, unreachableRetries) : retries;
    if (this.restarts > PULL_DEFAULTS.restarts || this.fruitless > allowed) throw this.giveUp(fault);
    const pause = this.pauseMs(fault, environment.random());
    await environment.sleep(pause, signal);
  }

  private pauseMs(fault: TransferFault, random: number): number {
    const retryAfterMs = fault.options.retryAfterMs;
    if (retryAfterMs === undefined) {
      const most = Math.min(
        PULL_DEFAULTS.maxBackoffMs,
        PULL_DEFAULTS.backoffMs * 2 ** (this.fruitless + this.restarts - 1),
      );
      return Math.ceil(most / 2 + (most / 2) * random);
    }
    if (retryAfterMs > PULL_DEFAULTS.maxPauseMs) {
      throw new PullError("source_busy", `${this.what}: ${fault.message}`, {
        value: Math.ceil(retryAfterMs / 1000),
        remedy: `the source asks to come back in ${Math.ceil(retryAfterMs / 1000)} s; what has come is kept, and resumed then`,
        cause: fault,
      });
    }
    return retryAfterMs + Math.floor(retryAfterMs * 0.1 * random);
  }

  private giveUp(fault: TransferFault): PullError {
    const { code, remedy } = GIVEN_UP[fault.kind];
    return new PullError(code, `${this.what}: ${fault.message}`, { value: this.what, remedy, cause: fault });
  }
}
