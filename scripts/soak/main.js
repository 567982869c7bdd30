/**
 * Soaks a server: a seeded, mixed load on `mirrorlake serve` in a process of its own, with clients among it that abort,
 * pipeline, read slowly, send slowly and do not read at all. Every ten seconds its memory, its descriptors and the times
 * of searches are written down. Fails where memory drifts after the warm-up, where descriptors are left over, where an
 * answer is not a 200, or where the server says anything on stderr. The warm-up begins with half as many searches again.
 *
 *   npm run task -- soak --minutes 30 [--rate 50] [--seed 1] [--warm-up 3] [--lake …] [--out FILE] [--node …]
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Random } from "../fixtures/random.js";
import { Load } from "./load.js";
import { mirrorlake, startServerProcess } from "./server-process.js";
import { drift, processState, quantile } from "./watch.js";

/** @typedef {{ seconds: number; searches: number; p50Ms: number; p99Ms: number; rssMiB: number; anonMiB: number; descriptors: number; running: number; cpuShare: number; }} Sample */

const SAMPLE_MS = 10_000;
/** Share of the memory by which it may rise or fall after the warm-up. */
const DRIFT = 0.05;
/**
 * Rate of the warm-up's first half, as a multiple. The heap grows to what the busiest moment takes, and keeps much of it: a burst
 * brings that moment about, so that memory after it tells what the load takes, and not when the machine was first held up. The
 * server rests between the halves, and not after them: V8 halves its young generation in a rest (32 to 16 MiB here) and takes minutes
 * of load to double it again, which would look like a leak.
 */
const BURST = 1.5;
/** Longest time for the server to let go of its last connection, ms. */
const QUIET_MS = 20_000;
/** Enough money for a day. */
const BALANCE = "1000000";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    "warm-up": { type: "string" },
    rate: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    lake: { type: "string" },
    out: { type: "string", default: ".mirrorlake/soak.json" },
    node: { type: "string", default: process.execPath },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(`Usage: npm run task -- soak [options]

Loads \`mirrorlake serve\` with searches and ill-behaved clients, and fails where memory drifts or descriptors are left.

  --minutes N   minutes of load after the warm-up (30)
  --warm-up N   minutes before the first sample that counts
  --rate N      searches a second (50)
  --seed N      seed of the load (1)
  --lake DIR    lake to serve; made from the demo's data where absent
  --out FILE    where samples are written (.mirrorlake/soak.json)
  --node FILE   Node.js that runs the server

Example: npm run task -- soak --minutes 60 --warm-up 10 --rate 50`);
  process.exit(0);
}

/**
 * The descriptors of a process once nothing runs: the smallest number seen for a while.
 * @param {number} pid
 * @param {number} atMost the number that is waited for
 * @returns {Promise<number>}
 */
async function quietDescriptors(pid, atMost) {
  let least = Number.POSITIVE_INFINITY;
  for (const until = performance.now() + QUIET_MS; performance.now() < until && least > atMost; ) {
    await sleep(250);
    least = Math.min(least, (await processState(pid)).descriptors);
  }
  return least;
}

/**
 * The files of slices that a server has.
 * @param {{ readonly url: string; readonly apiKey: string; }} server
 * @returns {Promise<{ path: string; bytes: number; }[]>}
 */
async function filesOf({ url, apiKey }) {
  const answer = await fetch(`${url}/v1/datasets/slices?limit=100`, { headers: { "x-api-key": apiKey } });
  const { data } = /** @type {{ data: { items?: unknown; } | unknown[]; }} */ (await answer.json());
  const manifests =
    /** @type {{ mirrorlake: { root: string; }; resources: { path: string; bytes: number; }[]; }[]} */ (
      Array.isArray(data) ? data : data.items
    );
  return manifests.flatMap(({ mirrorlake: { root }, resources }) =>
    resources.map(({ path, bytes }) => ({ path: `/datasets/${root}/${path}`, bytes })),
  );
}

/**
 * Takes samples while the load runs.
 * @param {number} pid
 * @param {Load} load
 * @param {number} ms
 * @returns {Promise<Sample[]>}
 */
async function soak(pid, load, ms) {
  /** @type {Sample[]} */
  const samples = [];
  let spent = (await processState(pid)).cpuSeconds;
  const started = performance.now();
  const done = new AbortController();
  const running = load.run(ms).finally(() => done.abort());
  while (!done.signal.aborted) {
    await sleep(SAMPLE_MS, undefined, { signal: done.signal }).catch(() => undefined);
    if (done.signal.aborted) break;
    const latencies = load.tally.latencies.splice(0);
    const { rssMiB, anonMiB, descriptors, cpuSeconds } = await processState(pid);
    const sample = {
      seconds: Math.round((performance.now() - started) / 1000),
      searches: latencies.length,
      p50Ms: rounded(quantile(latencies, 0.5)),
      p99Ms: rounded(quantile(latencies, 0.99)),
      rssMiB: rounded(rssMiB),
      anonMiB: rounded(anonMiB),
      descriptors,
      running: load.running,
      cpuShare: rounded(((cpuSeconds - spent) * 1000) / SAMPLE_MS),
    };
    spent = cpuSeconds;
    samples.push(sample);
    console.log(
      `${String(sample.seconds).padStart(6)} s  ${sample.rssMiB} MiB  ${descriptors} descriptors  p50 ${sample.p50Ms} ms  p99 ${sample.p99Ms} ms  ${sample.searches} searches  ${sample.cpuShare} CPU`,
    );
  }
  await running;
  return samples;
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 10) / 10;
}

/** @param {number} value */
function rounded4(value) {
  return Math.round(value * 10_000) / 10_000;
}

/**
 * The mean memory of each minute.
 * @param {readonly Sample[]} samples
 * @returns {number[]}
 */
function minuteMeans(samples) {
  const each = 60_000 / SAMPLE_MS;
  return Array.from({ length: Math.ceil(samples.length / each) }, (_, i) => {
    const own = samples.slice(i * each, (i + 1) * each);
    return own.reduce((sum, { rssMiB }) => sum + rssMiB, 0) / own.length;
  });
}

async function main() {
  const [minutes, perSecond, seed] = [values.minutes, values.rate, values.seed].map(Number);
  const warmUp = Number(values["warm-up"] ?? Math.min(5, minutes / 3));
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-soak-"));
  try {
    const lake = values.lake ?? join(dir, "lake");
    if (values.lake === undefined) await mirrorlake("demo", "--lake", lake, "--json");
    await mirrorlake("account", "topup", BALANCE, "--lake", lake);
    const server = await startServerProcess(lake, values.node);
    const target = { ...server, files: await filesOf(server) };
    const load = new Load(target, { perSecond, random: new Random(seed) });
    console.log(`warm-up of ${warmUp} minutes, ${perSecond} searches/s, seed ${seed}`);
    load.perSecond = BURST * perSecond;
    const before = await soak(server.pid, load, (warmUp / 2) * 60_000);
    const descriptorsBefore = await quietDescriptors(server.pid, 0);
    load.perSecond = perSecond;
    before.push(...(await soak(server.pid, load, (warmUp / 2) * 60_000)));
    console.log(`${descriptorsBefore} descriptors at rest; ${minutes} minutes follow`);
    const samples = await soak(server.pid, load, minutes * 60_000);
    const descriptorsAfter = await quietDescriptors(server.pid, descriptorsBefore);
    const exit = await server.stop();
    const memory = samples.map(({ rssMiB }) => rssMiB);
    const ofMinutes = minuteMeans(samples);
    const mean = ofMinutes.reduce((sum, each) => sum + each, 0) / ofMinutes.length;
    const report = {
      minutes,
      perSecond,
      seed,
      node: values.node,
      memoryDrift: rounded4(drift(memory)),
      /** Largest distance of a minute's mean from the mean of all, as a share of it. */
      memorySpread: rounded4(Math.max(...ofMinutes.map((each) => Math.abs(each / mean - 1)))),
      memoryMiB: { least: Math.min(...memory), median: quantile(memory, 0.5), most: Math.max(...memory) },
      p50Ms: quantile(
        samples.map(({ p50Ms }) => p50Ms),
        0.5,
      ),
      p99Ms: quantile(
        samples.map(({ p99Ms }) => p99Ms),
        0.5,
      ),
      descriptors: { before: descriptorsBefore, after: descriptorsAfter },
      outcomes: Object.fromEntries(load.tally.statuses),
      warmUp: before,
      samples,
    };
    const { warmUp: _, samples: __, ...summary } = report;
    console.log(JSON.stringify(summary, undefined, 2));
    await mkdir(dirname(resolve(values.out)), { recursive: true });
    await writeFile(values.out, `${JSON.stringify(report, undefined, 1)}\n`);
    const faults = [
      ...(load.failure === undefined ? [] : [`a client failed: ${load.failure.stack}`]),
      ...(Math.abs(report.memoryDrift) <= DRIFT
        ? []
        : [`memory drifts by ${(report.memoryDrift * 100).toFixed(1)} %`]),
      ...(descriptorsAfter <= descriptorsBefore
        ? []
        : [`descriptors rose from ${descriptorsBefore} to ${descriptorsAfter}`]),
      ...[...load.tally.statuses]
        .filter(([status]) => /^[13-5]/.test(status))
        .map(([status, n]) => `${n} answers with status ${status}`),
      ...(server.errors() === "" ? [] : [`the server said: ${server.errors()}`]),
      ...(exit === 0 || exit === 130 ? [] : [`the server ended with ${exit}`]),
    ];
    for (const fault of faults) console.error(`FAULT: ${fault}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

process.exitCode = await main();
