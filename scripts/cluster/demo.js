// The demo: of a lake in a folder as `mirrorlake demo` has it, or with --cluster the same data and questions on two nodes of ClickHouse.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { ClickHouseNode } from "../../test/cluster/clickhouse-node.js";
import { built } from "../built.js";
import { installChdb } from "./install-chdb.js";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const HELP = `
On a cluster (npm run demo -- --cluster [--keep]):
  The same data and questions on two nodes of ClickHouse, with the answers compared to those of the lake in a folder. The nodes are
  of the npm package chdb (546 MB, installed at first), on ports of this machine alone. Needs Linux, and a C compiler for the program
  that starts them (apt-get install gcc libc6-dev). All of it is in a temporary folder, and gone in the end or after Ctrl-C.
  --keep  lets the nodes run until Ctrl-C, and prints the address to ask them at`;
const NODES = 2;

const interrupted = new AbortController();
const { signal } = interrupted;
for (const name of /** @type {const} */ (["SIGINT", "SIGTERM"]))
  process.on(name, () => interrupted.abort(new Error(name)));

/** @type {typeof import("../../src/cli/program.js")} */
const { runCli } = await built("cli/program.js");

/**
 * Runs a command line in this process; what it writes to standard output, where that is asked for.
 * @param {readonly string[]} args
 * @param {"shown" | "taken"} output
 * @returns {Promise<string>}
 */
async function mirrorlake(args, output) {
  let text = "";
  /** @param {(text: string) => void} write */
  const stream = (write) => ({ write, isTty: false, columns: process.stdout.columns ?? 100, color: false });
  const out = stream((part) => {
    if (output === "shown") process.stdout.write(part);
    else text += part;
  });
  const err = stream((part) => {
    process.stderr.write(part);
  });
  const code = await runCli(args, { out, err, env: process.env, cwd: process.cwd(), signal });
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`mirrorlake ${args.join(" ")} ended with ${code}`);
  return text;
}

/**
 * What a command answers, without what names the call, and files that only a folder has.
 * @param {readonly string[]} args
 * @param {string} lake
 */
async function answerOf(args, lake) {
  const text = await mirrorlake([...args, "--lake", lake, "--read-only", "--json"], "taken");
  return JSON.parse(text, (key, value) =>
    key === "request_id" || key === "download_url" ? undefined : value,
  );
}

/** @param {string} text */
const heading = (text) => console.log(`\n${text}`);

/** @param {boolean} keep */
async function onCluster(keep) {
  const missing = await installChdb();
  if (missing !== undefined) throw new Error(missing);
  /** @type {typeof import("../../src/cli/demo-sources.js")} */
  const { DEMO_STEPS } = await built("cli/demo-sources.js");
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-demo-cluster-"));
  process.env.TMPDIR = dir;
  /** @type {ClickHouseNode[]} */
  let nodes = [];
  try {
    heading("A lake in a folder: nine datasets, in the formats of their platforms");
    const folder = join(dir, "lake");
    const { records, raw, slices } = JSON.parse(
      await mirrorlake(["demo", "--lake", folder, "--json"], "taken"),
    );
    console.log(`${records} records, ${raw} raw items, ${slices} slices`);
    heading(`The same on ${NODES} nodes of ClickHouse, a shard each`);
    nodes = await ClickHouseNode.startCluster(NODES);
    for (const node of nodes) await node.sql("CREATE DATABASE demo");
    const lake = nodes[0].address("demo");
    const named = nodes.flatMap(({ port }) => ["--node", `127.0.0.1:${port}`]);
    await mirrorlake(["cluster", "init", "--lake", lake, "--cluster", "lake", ...named], "taken");
    await mirrorlake(["install", join(folder, "slices"), "--lake", lake], "shown");
    for (const { title, args } of DEMO_STEPS) {
      heading(title);
      console.log(`$ mirrorlake ${args.join(" ")} --lake ${lake}`);
      await mirrorlake([...args, "--lake", lake, "--read-only"], "shown");
      const [expected, found] = [await answerOf(args, folder), await answerOf(args, lake)];
      if (!isDeepStrictEqual(found, expected)) throw new Error("The answer is another than in the folder");
      console.log("The same answer as in the folder.");
    }
    if (!keep) return;
    heading(`The nodes run until Ctrl-C:\n  npx mirrorlake search "kopi" --freshness 30d --lake ${lake}`);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  } finally {
    for (const node of nodes) await node.remove();
    await rm(dir, { recursive: true, force: true });
  }
}

async function main() {
  const args = process.argv.slice(2);
  if (!args.includes("--cluster")) {
    const child = spawn(process.execPath, [CLI, "demo", ...args], { stdio: "inherit" });
    process.exitCode = await new Promise((resolve, reject) =>
      child.on("error", reject).on("exit", (code) => resolve(code ?? 1)),
    );
    if (args.includes("--help") || args.includes("-h")) console.log(HELP);
    return;
  }
  const options = /** @type {const} */ ({
    cluster: { type: "boolean" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  });
  const { values } = parseArgs({ args, options });
  if (values.help) return console.log(HELP.trimStart());
  await onCluster(values.keep === true);
}

await main().catch((/** @type {unknown} */ error) => {
  process.exitCode = signal.aborted ? 130 : 1;
  if (!signal.aborted) console.error(error instanceof Error ? error.message : error);
});
if (signal.aborted) process.exitCode = 130;
