import type { Clock } from "../clock.js";
import { MirrorlakeError } from "../contract/errors.js";
import { formatUsd } from "../contract/money.js";
import { omitUndefined } from "../contract/omit-undefined.js";
import { terminalLine } from "../contract/terminal-text.js";
import { CALL_STAGES, type CallTrace } from "../endpoints/call-trace.js";
import { OPERATIONS_DEFAULTS } from "./defaults.js";
import type { EndedRequest } from "./observe-request.js";
import { isProbe } from "./probes.js";

/** What a line of a log says, beside its time. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  /** What happened: `request`, `error`, `starting`, `listening`, `warmed_up`, `draining`, `stopped`, `refresh_failed`, `warm_up_failed`. */
  readonly event: string;
  readonly [field: string]: unknown;
}

/** Writes one line for each request and each event: as JSON, or for people. No line has a key, a query, a parameter or a body. */
export class RequestLog {
  /** @param write gets one line, with its end */
  constructor(
    private readonly format: "json" | "text",
    private readonly clock: Clock,
    private readonly write: (line: string) => void,
  ) {}

  /** Logs a request that is over, unless it is a probe that was told that all is well. */
  request({ method, path, status, cut, ms, trace }: EndedRequest): void {
    // Probes come by the second.
    if (isProbe(path) && status === 200) return;
    const { requestId, endpoint, code, charged, error } = trace;
    this.entry({
      level: error !== undefined || (status ?? 0) >= 500 ? "error" : "info",
      event: "request",
      request_id: requestId,
      method: method.slice(0, OPERATIONS_DEFAULTS.methodCharacters),
      path: shownPath(path),
      endpoint: endpoint?.id,
      status,
      code,
      cut: cut ? true : undefined,
      charged_usd: requestId === undefined ? undefined : formatUsd(charged),
      ms: rounded(ms),
      stages: stagesOf(trace),
      ...(error === undefined ? {} : describeError(error)),
    });
  }

  /** Logs an error that is no request's. */
  error(error: unknown, event = "error"): void {
    this.entry({ level: "error", event, ...describeError(error) });
  }

  /** Logs what happened. */
  entry(entry: LogEntry): void {
    const time = new Date(this.clock.now()).toISOString();
    this.write(
      `${this.format === "json" ? JSON.stringify({ time, ...omitUndefined(entry) }) : textOf(time, entry)}\n`,
    );
  }
}

/** Code of an error of this program; of others name and frames, without their message, which may quote what was asked. */
function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof MirrorlakeError) return { error: error.code };
  if (!(error instanceof Error)) return { error: "unknown" };
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: error.name,
    frames: frames.slice(0, OPERATIONS_DEFAULTS.frames).map((line) => line.trim()),
  };
}

/** An API key in a path, whose characters may be percent-encoded, once or more often: `ml%5f…`, `ml%255f…`. */
const KEY = new RegExp(
  `${["m|%6[dD]", "l|%6[cC]", "_|%5[fF]"].map(character).join("")}` +
    `${character("[0-9A-Za-z_-]|%(?:2[dD]|3[0-9]|4[1-9A-Fa-f]|5[0-9AaFf]|6[1-9A-Fa-f]|7[0-9Aa])")}+`,
  "g",
);

function character(forms: string): string {
  return `(?:${forms.replace("%", "%(?:25)*")})`;
}

/** A path that is short and has no key in it. */
function shownPath(path: string): string {
  return path.replace(KEY, "ml_…").slice(0, OPERATIONS_DEFAULTS.pathCharacters);
}

function stagesOf(trace: CallTrace): Readonly<Record<string, number>> | undefined {
  const reached = CALL_STAGES.filter((stage) => !Number.isNaN(trace.stageMs(stage)));
  if (reached.length === 0) return undefined;
  return Object.fromEntries(reached.map((stage) => [stage, rounded(trace.stageMs(stage))]));
}

function textOf(time: string, { level, event, ...fields }: LogEntry): string {
  const pairs = Object.entries(omitUndefined(fields)).map(([name, value]) => `${name}=${valueText(value)}`);
  return terminalLine([time, level, event, ...pairs].join(" "));
}

function valueText(value: unknown): string {
  if (typeof value !== "object" || value === null) {
    const text = String(value);
    return /[\s"=]/.test(text) ? JSON.stringify(text) : text;
  }
  if (Array.isArray(value)) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}:${each}`)
    .join(",");
}

/** Milliseconds to the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
