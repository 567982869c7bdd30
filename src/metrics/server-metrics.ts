import type { CallTrace } from "../endpoints/call-trace.js";
import { CallMetrics, metric } from "./call-metrics.js";
import { METRICS_MEDIA_TYPE, type Metric, writeMetrics } from "./exposition.js";
import { ProcessMetrics } from "./process-metrics.js";
import { Tally } from "./tally.js";

/** What of a request is counted. */
interface CountedRequest {
  readonly path: string;
  readonly status: number | undefined;
  readonly cut: boolean;
  readonly trace: CallTrace;
}

/** What is read of a server when its metrics are. */
export interface ServerState {
  readonly connections: number;
  readonly vectorTexts: { readonly kept: number; readonly written: number };
  readonly generation: number;
  readonly records: number;
}

/** Whether calls can be answered, and why not. */
interface Readiness {
  readonly state: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly ms: number }[];
}

/** The metrics of a server, for Prometheus. */
export class ServerMetrics {
  /** Hears of the calls. */
  readonly calls = new CallMetrics();
  private readonly process = new ProcessMetrics();
  private readonly requests = new Tally(["site", "status"]);
  private refreshFailures = 0;

  /** @param version of this program */
  constructor(private readonly version: string) {}

  /** Counts a request that is over. */
  requested({ path, status, cut, trace }: CountedRequest): void {
    this.requests.add(siteOf(path), cut ? "cut" : (status ?? "none"));
    this.calls.written(trace);
  }

  /** Counts a failure to take in what was installed. */
  refreshFailed(): void {
    this.refreshFailures += 1;
  }

  /** The metrics as text. @param state undefined while the lake is being opened */
  async text(
    readiness: Readiness,
    state: ServerState | undefined,
  ): Promise<{ readonly text: string; readonly mediaType: string }> {
    const metrics = [
      ...this.calls.metrics,
      ...this.serverMetrics(readiness),
      ...(state === undefined ? [] : stateMetrics(state)),
      ...(await this.process.read()),
    ];
    return { text: writeMetrics(metrics), mediaType: METRICS_MEDIA_TYPE };
  }

  /** Ends the measuring. */
  close(): void {
    this.process.close();
  }

  private serverMetrics({ state, checks }: Readiness): Metric[] {
    const one = (value: number) => [{ value }];
    const each = (value: (check: Readiness["checks"][number]) => number) =>
      checks.map((check) => ({ labels: { check: check.name }, value: value(check) }));
    return [
      metric("mirrorlake_build_info", "gauge", "Versions; always 1.", [
        { labels: { version: this.version, node: process.versions.node }, value: 1 },
      ]),
      metric("mirrorlake_ready", "gauge", "1 if calls can be answered.", one(state === "ready" ? 1 : 0)),
      metric(
        "mirrorlake_draining",
        "gauge",
        "1 from the signal to stop on.",
        one(state === "draining" ? 1 : 0),
      ),
      metric(
        "mirrorlake_check_up",
        "gauge",
        "1 if what calls need answers.",
        each(({ ok }) => (ok ? 1 : 0)),
      ),
      metric(
        "mirrorlake_check_seconds",
        "gauge",
        "Time of that answer.",
        each(({ ms }) => ms / 1000),
      ),
      metric(
        "mirrorlake_http_requests_total",
        "counter",
        "Requests that ended, by site and status; cut: the connection ended first.",
        this.requests.samples,
      ),
      metric(
        "mirrorlake_refresh_failures_total",
        "counter",
        "Failures to take in what was installed.",
        one(this.refreshFailures),
      ),
    ];
  }
}

function stateMetrics({ connections, vectorTexts, generation, records }: ServerState): Metric[] {
  const one = (value: number) => [{ value }];
  const { kept, written } = vectorTexts;
  return [
    metric("mirrorlake_http_connections", "gauge", "Open connections.", one(connections)),
    metric("mirrorlake_lake_generation", "gauge", "Generation, or loads, that are served.", one(generation)),
    metric("mirrorlake_lake_records", "gauge", "Records that are served.", one(records)),
    metric("mirrorlake_cache_hits_total", "counter", "What was found in a cache.", [
      { labels: { cache: "vector_text" }, value: kept },
    ]),
    metric("mirrorlake_cache_misses_total", "counter", "What was not.", [
      { labels: { cache: "vector_text" }, value: written },
    ]),
  ];
}

const SITES: readonly (readonly [RegExp, string])[] = [
  [/^\/v1(?:\/|$)/, "v1"],
  [/^\/datasets\//, "datasets"],
  [/^\/mcp\/?$/, "mcp"],
  [/^\/(?:docs(?:\/|$)|openapi\.json$)/, "docs"],
  [/^\/(?:console(?:\/|$)|$)/, "console"],
  [/^\/(?:healthz|readyz)$/, "probes"],
];

/** The part of a server that a path is of: a label of few values. */
function siteOf(path: string): string {
  return SITES.find(([pattern]) => pattern.test(path))?.[1] ?? "other";
}
