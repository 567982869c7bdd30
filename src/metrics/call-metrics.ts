import { MirrorlakeError } from "../contract/errors.js";
import { ZERO_USD } from "../contract/money.js";
import { CALL_STAGES, type CallTrace } from "../endpoints/call-trace.js";
import type { CallObserver } from "../service/observe-calls.js";
import { METRICS_DEFAULTS } from "./defaults.js";
import type { Metric } from "./exposition.js";
import { Histogram } from "./histogram.js";
import { Tally } from "./tally.js";

/** Label of calls that named no endpoint, or had no good key: what their callers wrote is no label. */
const NO_ENDPOINT = "none";

/** Counts the calls of a service, whichever transport they come by. It costs a call some microseconds. */
export class CallMetrics implements CallObserver {
  private readonly running = new Set<CallTrace>();
  private readonly calls = new Tally(["endpoint", "status", "code"]);
  private readonly failures = new Tally(["cause"]);
  private readonly durations = new Map<string, Histogram>();
  private readonly stages = new Map<string, Histogram>();
  private charged: bigint = ZERO_USD;
  private freeCalls = 0;

  begun(trace: CallTrace): void {
    this.running.add(trace);
  }

  ended(trace: CallTrace, status: number | undefined): void {
    this.running.delete(trace);
    const { endpoint, error, code = "none", charged, usedFreeQuota } = trace;
    this.calls.add(endpoint?.id ?? NO_ENDPOINT, status ?? "none", code);
    if (error !== undefined) this.failures.add(causeOf(error));
    this.charged += charged;
    if (usedFreeQuota) this.freeCalls += 1;
    for (const stage of CALL_STAGES) this.observeStage(trace, stage);
    const operation = endpoint?.operation ?? NO_ENDPOINT;
    histogramOf(this.durations, operation, METRICS_DEFAULTS.callSeconds).observe(trace.ms / 1000);
  }

  /** Counts the answer of a call that ended as written. */
  written(trace: CallTrace): void {
    this.observeStage(trace, "write");
  }

  /** The metrics as they are now. */
  get metrics(): Metric[] {
    let held: bigint = ZERO_USD;
    for (const trace of this.running) held += trace.held;
    const of = (histograms: ReadonlyMap<string, Histogram>, label: string) =>
      [...histograms].flatMap(([value, histogram]) => histogram.samples({ [label]: value }));
    const one = (value: number | bigint) => [{ value }];
    return [
      metric(
        "mirrorlake_calls_total",
        "counter",
        "Calls that ended, by endpoint, status and code.",
        this.calls.samples,
      ),
      metric("mirrorlake_calls_in_flight", "gauge", "Calls that are under way.", one(this.running.size)),
      metric(
        "mirrorlake_call_seconds",
        "histogram",
        "Time of a call from its first byte to its settled charge, by operation.",
        of(this.durations, "operation"),
      ),
      metric("mirrorlake_stage_seconds", "histogram", "Time of a stage of a call.", of(this.stages, "stage")),
      metric(
        "mirrorlake_failures_total",
        "counter",
        "Causes of answers with 500 or 503.",
        this.failures.samples,
      ),
      metric(
        "mirrorlake_charged_microusd_total",
        "counter",
        "Money charged by this process.",
        one(this.charged),
      ),
      metric(
        "mirrorlake_held_microusd",
        "gauge",
        "Money held by calls of this process that are under way.",
        one(held),
      ),
      metric(
        "mirrorlake_free_calls_total",
        "counter",
        "Calls that the free quota paid.",
        one(this.freeCalls),
      ),
    ];
  }

  private observeStage(trace: CallTrace, stage: (typeof CALL_STAGES)[number]): void {
    const ms = trace.stageMs(stage);
    if (!Number.isNaN(ms)) histogramOf(this.stages, stage, METRICS_DEFAULTS.stageSeconds).observe(ms / 1000);
  }
}

/** The code of an error of this program, else the name of its class: no text of an error is a label. */
export function causeOf(error: unknown): string {
  if (error instanceof MirrorlakeError) return error.code;
  return error instanceof Error && /^[A-Za-z]{1,40}$/.test(error.name) ? error.name : "unknown";
}

/** A metric of samples. */
export function metric(name: string, type: Metric["type"], help: string, samples: Metric["samples"]): Metric {
  return { name, type, help, samples };
}

function histogramOf(histograms: Map<string, Histogram>, key: string, bounds: readonly number[]): Histogram {
  let histogram = histograms.get(key);
  if (histogram === undefined) {
    histogram = new Histogram(bounds);
    histograms.set(key, histogram);
  }
  return histogram;
}
