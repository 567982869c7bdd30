/**
 * Runs the repeated tests at length: kills, full disks, flips, hostile slices and servers, random sequences, fuzz, properties. Every
 * test file that says by test/support/campaign.ts how often it repeats takes part, unless files are named. With --minutes it
 * goes round again with the next seed until so much time has passed. Prints what it did and what it found so far as one line of
 * JSON every few minutes, after each round, and when it is told to stop.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DONE, FOUND } from "../test/support/count.js";

const HELP = `usage: npm run test:campaign -- [--factor N] [--seed N] [--minutes N] [FILE…]

  --factor N   how many times the rounds of npm run test:all (default 10)
  --seed N     where the randomness begins, to repeat a campaign (default: another each time; it is printed)
  --minutes N  begins further rounds, each with the next seed, until N minutes have passed (default: one round)`;

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    factor: { type: "string", default: "10" },
    seed: { type: "string", default: String(randomInt(2 ** 30)) },
    minutes: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});

/** Time between two reports, ms. */
const REPORT_MS = 300_000;
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());

/**
 * What test files added to the counts, by what they counted (test/support/count.js).
 * @param {string} text
 * @returns {Map<string, number>}
 */
function countsOf(text) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const line of text.split("\n").filter(Boolean)) {
    const [what = "", number] = line.split(" ");
    counts.set(what, (counts.get(what) ?? 0) + Number(number));
  }
  return counts;
}

/**
 * Runs the tests once, and gives what failed.
 * @param {number} number from 1
 * @param {number} seed
 * @param {string} dir
 * @returns {Promise<{ files: number; passed: number; failed: string[]; crashed: boolean; }>}
 */
async function round(number, seed, dir) {
  const results = join(dir, "results.json");
  await rm(results, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const what =
    positionals.length > 0 ? ["run", ...positionals] : ["related", "--run", "test/support/campaign.ts"];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const child = spawn(process.execPath, [vitest, ...what, ...reporters], {
    cwd: root,
    env: {
      ...process.env,
      MIRRORLAKE_CAMPAIGN: values.factor,
      MIRRORLAKE_SEED: String(seed),
      MIRRORLAKE_ROUND: String(number),
      MIRRORLAKE_COUNTS: join(dir, "counts"),
    },
    stdio: "inherit",
  });
  stop.signal.addEventListener("abort", () => child.kill("SIGINT"));
  const code = await new Promise((resolve) => child.on("exit", resolve));
  const text = await readFile(results, "utf8").catch(() => undefined);
  if (text === undefined) return { files: 0, passed: 0, failed: [], crashed: !stop.signal.aborted };
  /** @type {{ numPassedTests: number; testResults: { name: string; status: string; message: string; assertionResults: { status: string; fullName: string; }[]; }[]; }} */
  const { numPassedTests: passed, testResults } = JSON.parse(text);
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.slice(root.length);
    const own = assertionResults.filter((each) => each.status === "failed");
    if (own.length === 0 && status === "failed") return [`${file}: ${message.slice(0, 300)}`];
    return own.map(({ fullName }) => `${file}: ${fullName}`);
  });
  return { files: testResults.length, passed, failed, crashed: code !== 0 && failed.length === 0 };
}

async function main() {
  const started = performance.now();
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-campaign-"));
  const first = Number(values.seed);
  let [rounds, files, passed, crashes] = [0, 0, 0, 0];
  /** @type {string[]} */
  const failed = [];
  const minutes = () => (performance.now() - started) / 60_000;
  const report = async () => {
    const counts = countsOf(await readFile(join(dir, "counts"), "utf8").catch(() => ""));
    counts.set("crashes", (counts.get("crashes") ?? 0) + crashes);
    const all = [...DONE, ...FOUND].map((what) => [what, counts.get(what) ?? 0]);
    const ran = {
      minutes: Math.round(minutes() * 10) / 10,
      rounds,
      seed: first,
      factor: Number(values.factor),
    };
    console.log(`campaign: ${JSON.stringify({ ...ran, files, passed, failed, ...Object.fromEntries(all) })}`);
    if (failed.length > 0 || FOUND.some((what) => (counts.get(what) ?? 0) > 0)) process.exitCode = 1;
  };
  const timer = setInterval(report, REPORT_MS);
  try {
    do {
      const seed = first + rounds++;
      console.log(
        `campaign: round ${rounds}, ${values.factor} times the rounds of npm run test:all, seed ${seed}`,
      );
      const result = await round(rounds, seed, dir);
      files = Math.max(files, result.files);
      passed += result.passed;
      if (result.crashed) crashes++;
      failed.push(...result.failed.map((each) => `seed ${seed}, ${each}`));
      await report();
    } while (minutes() < Number(values.minutes) && !stop.signal.aborted);
  } finally {
    clearInterval(timer);
    await rm(dir, { recursive: true, force: true });
  }
}

if (values.help) console.log(HELP);
else await main();
