/**
 * Measures the whole way of a data set, each step in a process of its own: ingest, publish, pull over HTTP, install,
 * query. The records are generated from real sentences in four languages, a quarter of them short videos with comments,
 * each with a vector of 256 numbers padded to 1536. The default embedder's vectors of the texts rank, or the generated
 * ones (`--vectors given`). Fails where a step or a query takes more than it may.
 *
 *   npm run task million -- [--records 1000000] [--data ../shared/data] [--folder …] [--steps ingest,publish] [--keep]
 *                               [--vectors text|given]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serveFiles } from "./million/file-server.js";
import { STEPS } from "./million/steps.js";

/** @import { StepDone, StepInput } from "./million/steps.js" */

/** Peak resident memory of a step, in MiB (3 GB). */
const MEMORY_BOUND = 3e9 / 2 ** 20;

/** What queries over a million records may take, in ms. */
const BOUNDS = /** @type {const} */ ({
  "open ms": 2000,
  "sql aggregate ms": 1000,
  "raw look-up p50 ms": 1,
  "comments page p50 ms": 2,
  "hybrid search p50 ms": 25,
});

/** Steps that make the data and are not held to a bound. */
const UNBOUNDED = new Set(["generate"]);

/** @typedef {StepDone & { readonly step: string; readonly seconds: number; readonly peakMiB: number; }} Measured */

/**
 * @param {string} step
 * @param {StepInput} input
 * @returns {Promise<Measured>}
 */
async function measureHere(step, input) {
  const started = performance.now();
  const done = await STEPS[step](input);
  const seconds = (performance.now() - started) / 1000;
  return { step, seconds, peakMiB: process.resourceUsage().maxRSS / 1024, ...done };
}

/**
 * Runs a step in a process of its own, so that its peak memory is of that alone.
 * @param {string} step
 * @param {StepInput} input
 * @returns {Promise<Measured>}
 */
async function measureApart(step, input) {
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), "--child", step, JSON.stringify(input)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  child.stdout.on("data", (part) => {
    text += String(part);
  });
  const [code] = /** @type {[number | null]} */ (await once(child, "close"));
  if (code !== 0) throw new Error(`${step} ended with ${code}`);
  return /** @type {Measured} */ (JSON.parse(text));
}

/**
 * @param {Measured} options
 * @returns {string[]}
 */
function overBounds({ step, peakMiB, notes }) {
  /** @type {string[]} */
  const over = [];
  if (peakMiB > MEMORY_BOUND && !UNBOUNDED.has(step)) over.push(`${step}: peak ${peakMiB.toFixed(0)} MiB`);
  for (const [name, bound] of Object.entries(BOUNDS)) {
    const value = notes?.[name];
    if (typeof value === "number" && value > bound) over.push(`${name}: ${value}, over ${bound}`);
  }
  return over;
}

/**
 * @param {Measured} options
 * @returns {string}
 */
function line({ step, count, unit, seconds, peakMiB, notes = {} }) {
  const rate = `${Math.round(count / seconds).toLocaleString("en-US")} ${unit}/s`;
  const rest = Object.entries(notes).map(([name, value]) => `${name} ${value}`);
  return [
    step.padEnd(9),
    `${count.toLocaleString("en-US")} ${unit}`.padStart(18),
    `${seconds.toFixed(1)} s`.padStart(10),
    rate.padStart(18),
    `peak ${peakMiB.toFixed(0)} MiB`.padStart(15),
    ` ${rest.join(", ")}`,
  ].join(" ");
}

/** @returns {Promise<void>} */
async function main() {
  const { values } = parseArgs({
    options: {
      records: { type: "string", default: "1000000" },
      data: { type: "string", default: "../shared/data" },
      folder: { type: "string" },
      steps: { type: "string", default: Object.keys(STEPS).join(",") },
      vectors: { type: "string", default: "text" },
      keep: { type: "boolean", default: false },
    },
  });
  const { vectors } = values;
  if (vectors !== "text" && vectors !== "given")
    throw new RangeError(`--vectors is ${vectors}, not text or given`);
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "mirrorlake-million-")));
  await mkdir(folder, { recursive: true });
  const published = join(folder, "published");
  const server = await serveFiles(published);
  /** @type {string[]} */
  const over = [];
  try {
    const input = /** @type {const} */ ({
      records: Number(values.records),
      data: resolve(values.data),
      folder,
      url: server.url,
      vectors,
    });
    for (const step of values.steps.split(",")) {
      const measured = await measureApart(step, input);
      console.log(line(measured));
      over.push(...overBounds(measured));
      await writeFile(join(folder, `${step}.json`), JSON.stringify(measured));
    }
  } finally {
    server.close();
    if (!values.keep) await rm(folder, { recursive: true, force: true });
  }
  if (over.length > 0) throw new Error(`over the bounds: ${over.join("; ")}`);
}

const [flag, step, input] = process.argv.slice(2);
const work =
  flag === "--child"
    ? measureHere(step, /** @type {StepInput} */ (JSON.parse(input))).then((result) =>
        console.log(JSON.stringify(result)),
      )
    : main();
work.catch((/** @type {unknown} */ error) => {
  console.error(error);
  process.exitCode = 1;
});
