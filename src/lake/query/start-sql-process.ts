import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Whether a process can run queries: its file exists beside this one, which a bundle may lack (docs/bundlers.md), and the runtime gives
 * a child more streams than the standard ones, which Bun does not (docs/runtimes.md). Otherwise queries run in this process.
 */
export function sqlProcessAvailable(): boolean {
  return (
    process.versions.bun === undefined &&
    URL.canParse("./mirrorlake-sql.js", import.meta.url) &&
    existsSync(new URL("./mirrorlake-sql.js", import.meta.url))
  );
}

/** Starts a process that runs queries; its URL is written only here. */
export function startSqlProcess(): ChildProcess {
  const file = fileURLToPath(new URL("./mirrorlake-sql.js", import.meta.url));
  // Electron runs as Node.js with this variable, and Node.js does not know it.
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: "1" };
  // A child has the permissions of its parent from Node.js 22 on, and this one watches its limits in a thread.
  const flags = process.permission === undefined ? [] : ["--allow-worker"];
  return spawn(process.execPath, [...flags, file], {
    env,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    windowsHide: true,
  });
}
