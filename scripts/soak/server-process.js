import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const GUARD = new URL("end-with-parent.js", import.meta.url).href;
const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/**
 * Runs a command of Mirrorlake to its end.
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 */
export async function mirrorlake(...args) {
  await promisify(execFile)(process.execPath, [CLI, ...args]);
}

/**
 * Starts `mirrorlake serve` in a process of its own, without rate limits. It ends with this one, however that ends.
 * @param {string} lake
 * @param {string} node
 */
export async function startServerProcess(lake, node) {
  const args = ["--import", GUARD, CLI, "serve", "--lake", lake, "--port", "0", "--no-limits", "--json"];
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("serve has no output");
  const exited = once(child, "exit");
  let errors = "";
  stderr.on("data", (chunk) => {
    errors = (errors + chunk).slice(0, 20_000);
  });
  const line = once(createInterface(stdout), "line");
  const first = await Promise.race([line, exited.then(() => undefined)]);
  if (first === undefined || child.pid === undefined) throw new Error(`serve ended at once: ${errors}`);
  const { url, apiKey } = /** @type {{ url: string; apiKey: string; }} */ (JSON.parse(first[0]));
  const { hostname: host, port } = new URL(url);
  return {
    pid: child.pid,
    url,
    host,
    port: Number(port),
    apiKey,
    /** What it said on stderr. */
    errors: () => errors,
    /** Asks it to stop, and gives its exit code. */
    stop: async () => {
      child.kill("SIGINT");
      const [code, signal] = await exited;
      return /** @type {number | string} */ (code ?? signal);
    },
  };
}
