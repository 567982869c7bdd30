/**
 * Lets every way in which the product fetches meet every kind of hostile server, each in a process of its own, and prints
 * how it ended, in what time, and by how much its memory grew. Fails where one answers, crashes, takes longer than its
 * time-out (for an index ten times the stall time) and what it takes to load, or more than 100 MiB.
 *
 *   npm run task -- hostile [--node FILE] [--timeout 1000]
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { KINDS, startHostile } from "./server.js";

const run = promisify(execFile);
const ONCE = fileURLToPath(new URL("fetch-once.js", import.meta.url));
const FETCHES = ["connect", "embedder", "pull"];
const SPARE_MS = 3000;
const MOST_MIB = 100;
const DOCUMENT_STALLS = 10;

const { values } = parseArgs({
  options: {
    node: { type: "string", default: process.execPath },
    timeout: { type: "string", default: "1000" },
  },
});

const server = await startHostile();
const dir = await mkdtemp(join(tmpdir(), "mirrorlake-hostile-"));
const timeoutMs = Number(values.timeout);
let faults = 0;
try {
  console.log((await run(values.node, ["--version"])).stdout.trim());
  for (const how of FETCHES) {
    for (const [at, kind] of Object.keys(KINDS).entries()) {
      const args = ["--expose-gc", ONCE, how, `${server.url}/${at}`, values.timeout, join(dir, "lake")];
      const { stdout } = await run(values.node, args).catch((error) => ({
        stdout: JSON.stringify({ code: `crash: ${error.message}` }),
      }));
      const { code, ms, growthMiB } = /** @type {{ code: string, ms?: number, growthMiB?: number }} */ (
        JSON.parse(stdout)
      );
      const limit = (how === "pull" ? DOCUMENT_STALLS : 1) * timeoutMs + SPARE_MS;
      const isGood =
        /^[a-z_]+$/.test(code) &&
        code !== "answered" &&
        (ms ?? limit) < limit &&
        (growthMiB ?? MOST_MIB) < MOST_MIB;
      if (!isGood) faults += 1;
      console.log(
        `${how.padEnd(9)} ${kind.padEnd(24)} ${code.padEnd(22)} ${String(ms).padStart(6)} ms ${String(growthMiB).padStart(4)} MiB${isGood ? "" : "  FAULT"}`,
      );
    }
  }
} finally {
  server.close();
  await rm(dir, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;
