// Runs the tests of lakes on ClickHouse, on real nodes of the npm package chdb (test/cluster). They are no part of `npm test`, because
// the package is 546 MB. Needs Linux on x64 or arm64 with glibc, and a C compiler.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const args = process.argv.slice(2);

/**
 * @param {string} command
 * @param {readonly string[]} given
 * @returns {Promise<number>}
 */
function run(command, given) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, given, { cwd: root, stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

if (process.platform !== "linux") {
  console.error("ClickHouse's library is there for Linux alone: these tests cannot run here");
  process.exit(1);
}
// Not npm ci: chdb names packages of other systems in versions that a registry may not have, and npm ci refuses a lock file without.
const installed = existsSync(new URL("../test/cluster/node_modules/chdb", import.meta.url));
const install = ["install", "--prefix", "test/cluster", "--no-save", "--no-audit", "--no-fund"];
if (!installed && (await run("npm", install)) !== 0) {
  console.error("npm install --prefix test/cluster failed: without ClickHouse nothing was tested");
  process.exit(1);
}
process.exitCode = await run("npx", [
  "--no-install",
  "vitest",
  "run",
  "--config",
  "test/cluster/vitest.config.ts",
  ...args,
]);
