/** Runs the project's tasks by name. `npm run task -- --help` lists them. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMPILER_HEAP } from "./compiler-heap.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * What a task runs: a file of this folder, with options of node, after `npm run build` or `npm run compile` where it needs the built
 * package, or commands of the installed tools.
 * @typedef {{ readonly about: string, readonly after?: "build" | "compile" } & (
 *   { readonly file: string, readonly node?: readonly string[] } | { readonly commands: readonly (readonly string[])[] })} Task
 */

/** @type {Readonly<Record<string, Task>>} */
const TASKS = {
  types: {
    about: "checks the types of sources, tests and scripts; configurations, such as tsconfig.scripts.json",
    file: "types/main.js",
    node: COMPILER_HEAP,
  },
  lint: { about: "looks for mistakes", commands: [["biome", "lint", "--error-on-warnings", "."]] },
  format: { about: "whether all files are formatted", commands: [["biome", "format", "."]] },
  "format-write": {
    about: "formats all files, and fixes what lint can",
    commands: [["biome", "check", "--write", "."]],
  },
  demo: {
    about:
      "builds a lake of the shipped data and asks it things; --cluster: on two nodes of ClickHouse as well",
    file: "cluster/demo.js",
    after: "compile",
  },
  "real-lake": {
    about: "builds a lake of the real collections in ../shared/data and asks it things",
    file: "real-lake.js",
    after: "build",
  },
  "public-texts": {
    about: "draws texts of public repositories for real-lake --texts; --from DIR, --out NEW, --records N",
    file: "bench/public-texts.js",
  },
  notebooks: {
    about: "executes the notebooks, and writes their pages to .mirrorlake/notebooks",
    file: "notebooks/main.js",
    after: "build",
  },
  docs: {
    about: "writes what is generated in docs/; --check fails where it is not current",
    file: "docs/main.js",
    node: COMPILER_HEAP,
    after: "compile",
  },
  parity: {
    about: "writes the score of `mirrorlake parity` to docs/parity.md",
    file: "parity.js",
    after: "build",
  },
  fixtures: { about: "writes the data of the demo and of tests to fixtures/demo", file: "fixtures/main.js" },
  kernels: { about: "assembles the WebAssembly kernels from their text", file: "kernels/main.js" },
  campaign: {
    about: "runs kills, random sequences, fuzz and properties at length; --factor 10, --seed N, files",
    file: "campaign.js",
    after: "build",
  },
  package: {
    about: "whether the packed package is sound: publint and attw",
    file: "package.js",
    after: "build",
  },
  "try-package": {
    about:
      "tries the packed package in a fresh project, as one has it who installed it; --tarball FILE, --keep",
    file: "try-package/main.js",
    after: "build",
  },
  "agent-examples": {
    about: "runs the checks of the agents' example projects on the packed package; a name runs one",
    file: "agent-examples/main.js",
    after: "build",
  },
  "mcp-conformance": {
    about: "runs the official conformance package on the MCP server, for both versions of the specification",
    file: "mcp-conformance/main.js",
    after: "compile",
  },
  cluster: {
    about:
      "tests lakes on ClickHouse, on nodes of the npm package chdb (546 MB, installed at first); names of tests",
    file: "cluster/main.js",
    after: "compile",
  },
  answers: {
    about:
      "whether the tools' answers to --calls N over the lake of real-lake fit, have no vector and bring everything once",
    file: "measure/answers.js",
    after: "compile",
  },
  bundlers: {
    about:
      "bundles a program with esbuild, Vite and webpack, and runs it on 20,000 records; a bundler's name",
    file: "bundlers/main.js",
    after: "build",
  },
  runtimes: {
    about: "whether a program finds the same in Node.js, Deno and Bun, and under Yarn's Plug'n'Play",
    file: "runtimes/main.js",
    after: "build",
  },
  examples: {
    about:
      "runs the example test projects on the packed package, in vitest, jest and node:test; --runs, --node",
    file: "examples.js",
    after: "build",
  },
  bench: { about: "speed, memory and recall beside other engines", file: "bench/main.js", after: "build" },
  relevance: {
    about: "nDCG@10, Recall@100 and MRR@10 beside other engines",
    file: "bench/relevance.js",
    after: "compile",
  },
  "bench-keyword": {
    about: "time and answers of keyword ranking alone",
    file: "bench/keyword.js",
    after: "compile",
  },
  "bench-vectors": {
    about: "recall and time of vector search by setting, over a real lake and questions",
    file: "bench/sweep-vectors.js",
    after: "compile",
  },
  "bench-dense": {
    about: "scan and graph over vectors of a sentence encoder, of real texts; --texts FILE, --work DIR",
    file: "bench/dense-vectors.js",
    after: "compile",
  },
  "bench-certificates": {
    about: "what certificates state beside what questions find, over many sets of a real lake; --lake DIR",
    file: "bench/certificates.js",
    after: "compile",
  },
  "bench-cluster": {
    about: "a lake on ClickHouse beside one in a folder: loading, bytes, times; --slices DIR, --nodes 1,3",
    file: "bench/cluster.js",
    after: "compile",
  },
  "bench-cluster-index": {
    about: "recall and times of the index of vectors on ClickHouse; --folder LAKE, --nodes 1,3",
    file: "bench/cluster-index.js",
    after: "compile",
  },
  "bench-http": { about: "requests a second beside plain Hono", file: "measure/http.js", after: "compile" },
  soak: {
    about:
      "loads a server for --minutes N with clients of every kind, and watches memory, descriptors and times",
    file: "soak/main.js",
    after: "compile",
  },
  "console-walk": {
    about:
      "walks every tab of the web console in Chromium: accessibility, keyboard, paint, long tasks; --lake, --records, --screenshots",
    file: "console-walk/main.js",
    after: "compile",
  },
  hostile: {
    about: "lets every fetch meet hostile servers: time and memory of each; --node FILE",
    file: "hostile/main.js",
    after: "compile",
  },
  determinism: {
    about:
      "whether indexes give the same bytes, built with any number of threads, again, and on other Node versions",
    file: "determinism/main.js",
    after: "compile",
  },
  million: {
    about: "ingest, publish, pull, install and query of --records N, each in a process of its own",
    file: "measure/million.js",
    after: "compile",
  },
  ingest: { about: "speed and memory of ingestion by format", file: "measure/ingest.js", after: "compile" },
  pull: {
    about: "speed of publish, pull and sync of what real-lake built",
    file: "measure/pull.js",
    after: "compile",
  },
  start: {
    about:
      "what import, --help and a first answer cost beside node alone; rounds, a lake, dist/lazy-index.js of another package",
    file: "measure/start.js",
    after: "compile",
  },
  profile: { about: "where a search spends its time", file: "measure/search-profile.js", after: "compile" },
};

/**
 * Runs a command in the project's folder and gives its exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
    // Ctrl-C reaches the child as well, which may have to clean up: this ends when it does.
    process.on("SIGINT", () => {});
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}

async function main() {
  const [name, ...args] = process.argv.slice(2);
  const task = TASKS[name];
  if (task === undefined) {
    const width = Math.max(...Object.keys(TASKS).map((each) => each.length));
    console.log("usage: npm run task -- <name> [options]\n");
    for (const [each, { about }] of Object.entries(TASKS)) console.log(`  ${each.padEnd(width)}  ${about}`);
    const asked = name === undefined || name === "--help" || name === "help";
    if (!asked) console.error(`\nThere is no task ${JSON.stringify(name)}.`);
    return asked ? 0 : 2;
  }
  if (task.after !== undefined) {
    const code = await run("npm", ["run", "--silent", task.after]);
    if (code !== 0) return code;
  }
  if ("commands" in task) {
    for (const [tool, ...rest] of task.commands) {
      // npx takes longer to find a tool than some of them take.
      const code = await run(join("node_modules", ".bin", tool), [...rest, ...args]);
      if (code !== 0) return code;
    }
    return 0;
  }
  const file = fileURLToPath(new URL(task.file, import.meta.url));
  return run(process.execPath, [...(task.node ?? []), file, ...args]);
}

process.exitCode = await main();
