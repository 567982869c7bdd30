import { performance } from "node:perf_hooks";
import { type MicroUsd, ZERO_USD } from "../contract/money.js";
import type { EndpointSpec } from "../contract/service/endpoint.js";

/** The stages of a call, in order. `receive` and `write` are of a transport; `recall` and `rank` of searches. */
export const CALL_STAGES = [
  /** Reading the request's body. */
  "receive",
  /** Finding the key. */
  "authenticate",
  /** Parameters, rate window, cap. */
  "admit",
  /** Reserving the price. */
  "hold",
  /** Finding the candidates of a search. */
  "recall",
  /** Ranking them. */
  "rank",
  /** Reading what is answered. */
  "read",
  /** Making sure that nothing was removed meanwhile. */
  "confirm",
  /** What a call spent on the stage in which it failed. */
  "failed",
  /** Charging the price, or releasing it. */
  "charge",
  /** Writing the answer as JSON, and handing it to the system. */
  "write",
] as const;

/** A stage of a call. */
export type CallStage = (typeof CALL_STAGES)[number];

/** What one call went through: times by stage, money, outcome. It holds no key, no query and no parameter. */
export class CallTrace {
  /** Id of the request; set by the service. */
  requestId?: string;
  /** The endpoint; undefined until the key is known to be good, and for paths that are none. */
  endpoint?: EndpointSpec;
  /** `ok`, `empty`, the code of the error, `internal_error`, or `aborted`; undefined while the call is under way. */
  code?: string;
  /** The error behind a 500 or 503. */
  error?: unknown;
  /** Money that is reserved for the call now; zero if the free quota covers it. */
  held: MicroUsd = ZERO_USD;
  /** Money that was charged. */
  charged: MicroUsd = ZERO_USD;
  /** Whether the free quota paid. */
  usedFreeQuota = false;
  /** Called when the outcome is known. */
  onSettled?: () => void;
  private readonly spent = new Float64Array(CALL_STAGES.length).fill(Number.NaN);
  private readonly start: number;
  private last: number;

  /** @param timer milliseconds that only grow */
  constructor(private readonly timer: () => number = () => performance.now()) {
    this.start = timer();
    this.last = this.start;
  }

  /** Ends a stage: the time since the stage before it is its own. A stage that is ended again has the sum. */
  mark(stage: CallStage): void {
    const now = this.timer();
    const at = CALL_STAGES.indexOf(stage);
    const before = this.spent[at]!;
    this.spent[at] = (Number.isNaN(before) ? 0 : before) + now - this.last;
    this.last = now;
  }

  /** Notes the outcome of the call, and what was charged, once nothing is held any more. */
  settle(code: string, charge?: { readonly charged: MicroUsd; readonly usedFreeQuota: boolean }): void {
    this.mark("charge");
    this.code = code;
    this.held = ZERO_USD;
    if (charge !== undefined) {
      this.charged = charge.charged;
      this.usedFreeQuota = charge.usedFreeQuota;
    }
    this.onSettled?.();
  }

  /** Milliseconds of a stage; NaN if the call did not reach it. */
  stageMs(stage: CallStage): number {
    return this.spent[CALL_STAGES.indexOf(stage)]!;
  }

  /** Milliseconds from the beginning to the end of the last stage. */
  get ms(): number {
    return this.last - this.start;
  }
}
