import { readFile } from "node:fs/promises";
import { loadavg } from "node:os";

/** Milliseconds of a tick, by which Linux counts the time of processes. */
const TICK_MS = 10;

/**
 * Writes a figure.
 * @param {string} what
 * @param {string | number} figure
 */
export const tell = (what, figure) => console.log(`${what.padEnd(46)} ${figure}`);

/**
 * Writes the load of the machine, which says how far times by the clock are its own.
 * @param {string} when
 */
export const tellLoad = (when) => tell(`load of the machine ${when}`, loadavg()[0].toFixed(1));

/**
 * Seconds since an instant of `performance.now()`.
 * @param {number} since
 */
export const secondsSince = (since) => (performance.now() - since) / 1000;

/**
 * Processor time of each process so far, in ms: what other work on the machine changes little.
 * @param {readonly number[]} pids
 */
async function processorMs(pids) {
  /** @type {number[]} */
  const times = [];
  for (const pid of pids) {
    const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1].split(" ");
    times.push((Number(fields[11]) + Number(fields[12])) * TICK_MS);
  }
  return times;
}

/** Processor time of this process so far, in ms. */
function ownMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Resident memory of a process, and the most it had, in MiB.
 * @param {number} pid
 */
export async function residentMiB(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  /** @param {string} name */
  const of = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

/**
 * Times work and the processor time that all servers, the busiest of them and this process spend on it, in seconds.
 * @template T
 * @param {readonly number[]} pids of the servers
 * @param {() => Promise<T>} work
 */
export async function metered(pids, work) {
  const [started, servers, own] = [performance.now(), await processorMs(pids), ownMs()];
  const result = await work();
  const each = (await processorMs(pids)).map((ms, n) => (ms - servers[n]) / 1000);
  return {
    result,
    seconds: secondsSince(started),
    servers: each.reduce((sum, ms) => sum + ms, 0),
    busiest: Math.max(0, ...each),
    own: (ownMs() - own) / 1000,
  };
}

/**
 * Times of calls, one after another: the figures as text, and the times.
 * @param {number} count
 * @param {readonly number[]} pids of the servers
 * @param {(n: number) => Promise<unknown>} call
 */
export async function timesOf(count, pids, call) {
  /** @type {number[]} */
  const times = [];
  const { servers, busiest, own } = await metered(pids, async () => {
    for (let n = 0; n < count; n += 1) {
      const at = performance.now();
      await call(n);
      times.push(performance.now() - at);
    }
  });
  times.sort((a, b) => a - b);
  /** @param {number} share */
  const part = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
  /** @param {number} seconds */
  const each = (seconds) => ((seconds * 1000) / count).toFixed(1);
  const busy = pids.length > 1 ? ` (the busiest ${each(busiest)})` : "";
  return `p50 ${part(0.5)}, p99 ${part(0.99)} ms; processor time a call: servers ${each(servers)}${busy}, this process ${each(own)} ms`;
}
