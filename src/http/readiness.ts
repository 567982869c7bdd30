import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";
import { MirrorlakeError } from "../contract/errors.js";
import { OPERATIONS_DEFAULTS } from "./defaults.js";

/** What calls need, each with a question that fails if it is not there. */
export type ReadinessChecks = Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;

/** Result of one check. */
export interface CheckedNeed {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  /** Code and message of the error, without passwords. */
  readonly problem?: string;
}

/** Whether calls can be answered. */
export interface ReadinessReport {
  readonly state: "starting" | "ready" | "unready" | "draining";
  readonly checks: readonly CheckedNeed[];
}

/** Whether a server is ready for calls: it has started, does not drain, and what it needs answers. */
export class Readiness {
  private checks: ReadinessChecks | undefined;
  private drains = false;
  private newest: { readonly at: number; readonly checked: Promise<readonly CheckedNeed[]> } | undefined;

  /**
   * @param timer milliseconds that only grow
   * @param checkMs longest wait for a check
   */
  constructor(
    private readonly timer: () => number = () => performance.now(),
    private readonly checkMs: number = OPERATIONS_DEFAULTS.checkMs,
  ) {}

  /** What is known without asking. */
  get state(): "starting" | "serving" | "draining" {
    if (this.drains) return "draining";
    return this.checks === undefined ? "starting" : "serving";
  }

  /** Ends the start: from now on these checks tell. */
  serve(checks: ReadinessChecks): void {
    this.checks = checks;
  }

  /** From now on no more calls should come. */
  drain(): void {
    this.drains = true;
  }

  /** Runs the checks, at most once a second and never two at a time, however many ask. A silent one fails after two seconds. */
  async report(): Promise<ReadinessReport> {
    const { checks, state } = this;
    if (checks === undefined || state === "draining")
      return { state: state as "starting" | "draining", checks: [] };
    const now = this.timer();
    if (this.newest === undefined || now - this.newest.at >= OPERATIONS_DEFAULTS.checkAgeMs)
      this.newest = { at: now, checked: this.run(checks) };
    const checked = await this.newest.checked;
    if (this.drains) return { state: "draining", checks: checked };
    return { state: checked.every(({ ok }) => ok) ? "ready" : "unready", checks: checked };
  }

  private run(checks: ReadinessChecks): Promise<CheckedNeed[]> {
    return Promise.all(
      Object.entries(checks).map(async ([name, check]): Promise<CheckedNeed> => {
        const start = this.timer();
        const problem = await problemOf(check, this.checkMs);
        return { name, ok: problem === undefined, ms: Math.round(this.timer() - start), problem };
      }),
    );
  }
}

async function problemOf(check: ReadinessChecks[string], checkMs: number): Promise<string | undefined> {
  const late = new AbortController();
  const silence = new Error(`no answer in ${checkMs} ms`);
  const timer = setTimeout(() => late.abort(silence), checkMs);
  const silent = new Promise<never>((_, reject) => {
    late.signal.addEventListener("abort", () => reject(silence));
  });
  try {
    await Promise.race([check(late.signal), silent]);
    return undefined;
  } catch (error) {
    if (error instanceof MirrorlakeError) return `${error.code}: ${error.message}`;
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
