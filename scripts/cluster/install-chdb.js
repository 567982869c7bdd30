// ClickHouse for tests and for the demo on a cluster, from the npm package chdb. It needs Linux on x64 or arm64 with glibc, and a C compiler.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Gets the package unless it is there: 546 MB, which is why nothing else names it.
 * @returns {Promise<string | undefined>} what is in the way of it
 */
export async function installChdb() {
  if (process.platform !== "linux")
    return "ClickHouse's library is there for Linux alone: this cannot run here";
  if (existsSync(new URL("../../test/cluster/node_modules/chdb", import.meta.url))) return undefined;
  // Not npm ci: chdb names packages of other systems in versions that a registry may not have, and npm ci refuses a lock file without.
  const args = ["install", "--prefix", "test/cluster", "--no-save", "--no-audit", "--no-fund"];
  const child = spawn("npm", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("exit", resolve));
  return code === 0
    ? undefined
    : "npm install --prefix test/cluster failed: without the package chdb there is no ClickHouse";
}
