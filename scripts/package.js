/** Packs the package and checks what it exports, as publint and attw see it. Fails where they find a fault. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const CHECKS = [
  ["publint", "run", "--strict", "--pack", "npm"],
  ["attw", "--pack", ".", "--profile", "node16", "--quiet"],
];

for (const [tool, ...args] of CHECKS) {
  const { status } = spawnSync("npx", ["--no-install", tool, ...args], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) process.exitCode = 1;
}
