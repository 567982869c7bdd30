/** Packs the package and checks what it exports, as publint and attw see it. Fails where they find a fault. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packed } from "./packed.js";

const archive = await packed();
const CHECKS = [
  ["publint", "run", archive, "--strict"],
  // mirrorlake/worker and mirrorlake/sql are scripts that bundlers copy: they export nothing, so they have no types.
  ["attw", archive, "--profile", "node16", "--quiet", "--exclude-entrypoints", "worker", "sql"],
];

for (const [tool, ...args] of CHECKS) {
  const { status } = spawnSync(join("node_modules", ".bin", tool), args, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exitCode = 1;
}
