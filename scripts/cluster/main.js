// Runs the tests of lakes on ClickHouse, on real nodes of the npm package chdb (test/cluster). They are no part of `npm test`, because
// the package is 546 MB.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { installChdb } from "./install-chdb.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const missing = await installChdb();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
const args = ["run", "--config", "test/cluster/vitest.config.ts", ...process.argv.slice(2)];
const child = spawn("npx", ["--no-install", "vitest", ...args], { cwd: root, stdio: "inherit" });
process.exitCode = await new Promise((resolve, reject) =>
  child.on("error", reject).on("exit", (code) => resolve(code ?? 1)),
);
