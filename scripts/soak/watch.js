import { readdir, readFile } from "node:fs/promises";

/** Clock ticks a second, in which Linux counts a process's time. */
const TICKS = 100;

/**
 * What a process holds now: resident memory, memory of its own (not of files), descriptors; and the processor's time
 * that it has had.
 * @param {number} pid
 * @returns {Promise<{ rssMiB: number, anonMiB: number, descriptors: number, cpuSeconds: number }>}
 */
export async function processState(pid) {
  const [status, stat, descriptors] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8"),
    readdir(`/proc/${pid}/fd`),
  ]);
  /** @param {string} name */
  const mebibytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  return {
    rssMiB: mebibytes("VmRSS"),
    anonMiB: mebibytes("RssAnon"),
    descriptors: descriptors.length,
    cpuSeconds: (user + system) / TICKS,
  };
}

/**
 * The value below which this share of the values is.
 * @param {readonly number[]} values
 * @param {number} share
 * @returns {number}
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * How much the values rise or fall from first to last, as a share of their median: by the median of the slopes of all
 * pairs (Theil 1950, Sen 1968), which single peaks do not move.
 * @param {readonly number[]} values evenly spaced
 * @returns {number}
 */
export function drift(values) {
  const slopes = values.flatMap((from, i) => values.slice(i + 1).map((to, j) => (to - from) / (j + 1)));
  return slopes.length === 0 ? 0 : (quantile(slopes, 0.5) * (values.length - 1)) / quantile(values, 0.5);
}
