import { monitorEventLoopDelay } from "node:perf_hooks";

/** The value below which a share of the values lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** The middle value. */
export function median(values) {
  return quantile(values, 0.5);
}

/** Runs `call` once for each argument, one after another, and gives the milliseconds of each run after a warm-up. */
export async function latencies(calls, call, warmUp) {
  const taken = [];
  for (const [i, argument] of calls.entries()) {
    const start = performance.now();
    await call(argument);
    if (i >= warmUp) taken.push(performance.now() - start);
  }
  return taken;
}

/** As {@link latencies}, with the arguments in turn, again and again, until so many milliseconds have passed. */
export async function latenciesFor(duration, calls, call, warmUp) {
  const taken = [];
  const end = performance.now() + duration;
  for (let i = 0; performance.now() < end; i++) {
    const start = performance.now();
    await call(calls[i % calls.length]);
    if (i >= warmUp) taken.push(performance.now() - start);
  }
  return taken;
}

/** p50 and p99 in ms. */
export function spread(values) {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}

/** p99 of the event loop's delay, ms, while `calls` run `width` at a time. */
export async function eventLoopDelay(calls, width, call) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let next = 0;
  const lane = async () => {
    while (next < calls.length) await call(calls[next++]);
  };
  await Promise.all(Array.from({ length: width }, lane));
  delay.disable();
  return delay.percentile(99) / 1e6;
}

/**
 * Runs an install; its seconds, its processor time in all and by phase, and its report.
 * @param {(onProgress: (event: { readonly phase: string }) => void) => Promise<import("../../src/index.js").InstallReport>} run
 */
export async function timedInstall(run) {
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  const phases = new Map(/** @type {[string, number][]} */ ([]));
  let [phase, since] = ["start", cpu()];
  const next = (/** @type {string} */ name) => {
    const now = cpu();
    phases.set(phase, (phases.get(phase) ?? 0) + now - since);
    [phase, since] = [name, now];
  };
  const [start, before] = [performance.now(), since];
  const report = await run((event) => {
    if (event.phase !== phase) next(event.phase);
  });
  next("end");
  const parts = [...phases].map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`);
  return { report, seconds: (performance.now() - start) / 1000, processor: cpu() - before, parts };
}
