// What it costs to start: medians of `import "mirrorlake"`, `mirrorlake --help` and node alone, in turns, and of opening a lake and asking it
// once, each in a new process. npm run task -- start [rounds] [lake] [another package's dist/lazy-index.js]
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ENTRY = new URL("../../dist/lazy-index.js", import.meta.url).href;
const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const [rounds = "15", lake, other] = process.argv.slice(2);
const SAY =
  "const { user, system } = process.cpuUsage(); console.error(JSON.stringify({ cpu: (user + system) / 1e3, rss: process.memoryUsage().rss / 1e6, ...globalThis.steps }))";
const STEPS = ["import", "open", "answer"];

/** @param {string} entry */
const asking = (entry) => [
  "--input-type=module",
  "-e",
  `const began = performance.now();
  const { openLake } = await import(${JSON.stringify(entry)});
  const imported = performance.now();
  const lake = await openLake(${JSON.stringify(resolve(lake ?? ""))}, { account: "memory" });
  const opened = performance.now();
  await lake.search({ query: "hiking boots" });
  const answered = performance.now();
  globalThis.steps = { import: imported - began, open: opened - imported, answer: answered - opened };
  ${SAY}; await lake.close();`,
];

const PROGRAMS = {
  "node alone": ["--input-type=module", "-e", SAY],
  'import "mirrorlake"': ["--input-type=module", "-e", `await import(${JSON.stringify(ENTRY)}); ${SAY}`],
  "mirrorlake --help": [
    "--import",
    `data:text/javascript,process.on("exit", () => { ${SAY} })`,
    CLI,
    "--help",
  ],
  ...(lake === undefined ? {} : { "a first answer": asking(ENTRY) }),
  ...(other === undefined ? {} : { "that of the other": asking(pathToFileURL(resolve(other)).href) }),
};
/** @type {readonly { readonly name: string, readonly runs: Record<string, number>[] }[]} */
const seen = Object.keys(PROGRAMS).map((name) => ({ name, runs: [] }));
for (let round = 0; round < Number(rounds); round++) {
  for (const { name, runs } of seen) {
    const began = performance.now();
    const { stderr } = spawnSync(process.execPath, PROGRAMS[name], { encoding: "utf8" });
    const whole = performance.now() - began;
    runs.push({ whole, ...JSON.parse(stderr.trim().split("\n").at(-1) ?? "") });
  }
}
const median = (/** @type {number[]} */ list) =>
  Math.round([...list].sort((a, b) => a - b)[list.length >> 1] ?? 0);
console.table(
  Object.fromEntries(
    seen.map(({ name, runs }) => {
      const of = (/** @type {string} */ figure) => median(runs.map((run) => run[figure]));
      const steps = STEPS.filter((step) => step in (runs[0] ?? {})).map((step) => [`${step}, ms`, of(step)]);
      const figures = { "whole process, ms": of("whole"), "CPU, ms": of("cpu"), "RSS, MB": of("rss") };
      return [name, { ...figures, ...Object.fromEntries(steps) }];
    }),
  ),
);
