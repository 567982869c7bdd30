import { readdir } from "node:fs/promises";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { metric } from "./call-metrics.js";
import { METRICS_DEFAULTS } from "./defaults.js";
import type { Metric } from "./exposition.js";

/** What the process takes: memory, processor, descriptors, and how long its event loop keeps others waiting. */
export class ProcessMetrics {
  private readonly delays: IntervalHistogram;

  constructor() {
    this.delays = monitorEventLoopDelay({ resolution: METRICS_DEFAULTS.loopSampleMs });
    this.delays.enable();
  }

  /** The metrics as they are now. Delays are those since they were read last. */
  async read(): Promise<Metric[]> {
    const { rss, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const { delays } = this;
    const measured = delays.count > 0;
    const p99 = measured ? delays.percentile(99) : 0;
    const max = measured ? delays.max : 0;
    delays.reset();
    const one = (value: number) => [{ value }];
    return [
      metric("process_resident_memory_bytes", "gauge", "Resident memory.", one(rss)),
      metric("process_cpu_seconds_total", "counter", "Processor time.", one((user + system) / 1e6)),
      metric(
        "process_start_time_seconds",
        "gauge",
        "When the process began, since the Unix epoch.",
        one(Math.round(performance.timeOrigin) / 1000),
      ),
      metric("process_open_fds", "gauge", "Open file descriptors.", await openFiles()),
      metric("nodejs_heap_size_used_bytes", "gauge", "Memory of JavaScript objects.", one(heapUsed)),
      metric("nodejs_external_memory_bytes", "gauge", "Memory of buffers.", one(external)),
      metric(
        "nodejs_eventloop_lag_p99_seconds",
        "gauge",
        "Delay of the event loop since it was read last, 99th percentile.",
        one(beyondSample(p99)),
      ),
      metric(
        "nodejs_eventloop_lag_max_seconds",
        "gauge",
        "Longest delay of the event loop since it was read last.",
        one(beyondSample(max)),
      ),
    ];
  }

  /** Ends the measuring. */
  close(): void {
    this.delays.disable();
  }
}

/** Seconds by which a sample came late. @param ns between two samples */
function beyondSample(ns: number): number {
  return Math.max(0, ns / 1e9 - METRICS_DEFAULTS.loopSampleMs / 1000);
}

/** The number of open files where the system tells it. */
async function openFiles(): Promise<Metric["samples"]> {
  const names = await readdir("/proc/self/fd").catch(() => undefined);
  return names === undefined ? [] : [{ value: names.length }];
}
