// What it costs to start: medians of `import "mirrorlake"`, `mirrorlake --help` and node alone, in turns. npm run task -- start [rounds]
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ENTRY = new URL("../../dist/lazy-index.js", import.meta.url).href;
const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const SAY =
  "const { user, system } = process.cpuUsage(); console.error(JSON.stringify({ cpu: (user + system) / 1e3, rss: process.memoryUsage().rss / 1e6 }))";
const PROGRAMS = {
  "node alone": ["--input-type=module", "-e", SAY],
  'import "mirrorlake"': ["--input-type=module", "-e", `await import(${JSON.stringify(ENTRY)}); ${SAY}`],
  "mirrorlake --help": [
    "--import",
    `data:text/javascript,process.on("exit", () => { ${SAY} })`,
    CLI,
    "--help",
  ],
};
const rounds = Number(process.argv[2] ?? 15);
const seen = Object.keys(PROGRAMS).map((name) => ({ name, wall: [0], cpu: [0], rss: [0] }));
for (let round = 0; round < rounds; round++) {
  for (const { name, wall, cpu, rss } of seen) {
    const began = performance.now();
    const { stderr } = spawnSync(process.execPath, PROGRAMS[name], { encoding: "utf8" });
    wall[round] = performance.now() - began;
    const said = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    cpu[round] = said.cpu;
    rss[round] = said.rss;
  }
}
const median = (/** @type {number[]} */ list) =>
  Math.round([...list].sort((a, b) => a - b)[list.length >> 1] ?? 0);
console.table(
  Object.fromEntries(
    seen.map(({ name, wall, cpu, rss }) => [
      name,
      { "whole process, ms": median(wall), "CPU, ms": median(cpu), "RSS, MB": median(rss) },
    ]),
  ),
);
