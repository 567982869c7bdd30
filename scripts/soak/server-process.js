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
 * @param {{ readonly modules?: readonly string[]; readonly options?: readonly string[] }} [more] addresses of modules that are loaded before
 *   it; further options of the command
 */
export async function startServerProcess(lake, node, { modules = [], options = [] } = {}) {
  const loaded = [GUARD, ...modules].flatMap((module) => ["--import", module]);
  const args = [...loaded, CLI, "serve", "--lake", lake, "--port", "0", "--no-limits", "--json", ...options];
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
  const served = /** @type {{ url: string; apiKey: string; console: string; }} */ (JSON.parse(first[0]));
  const { url, apiKey } = served;
  const { hostname: host, port } = new URL(url);
  return {
    pid: child.pid,
    url,
    host,
    port: Number(port),
    apiKey,
    /** What opens a session of the console. */
    token: new URL(served.console).hash.slice("#token=".length),
    /**
     * Sends a message to a module that was loaded before it, and gives its reply.
     * @param {string} message
     * @returns {Promise<unknown>}
     */
    ask: async (message) => {
      const reply = once(child, "message");
      child.send(message);
      return (await reply)[0];
    },
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
