import { spawn } from "node:child_process";
import { totalmem } from "node:os";
import { basename } from "node:path";

/**
 * Runs a script in a process of its own and returns what its last line says as JSON.
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {Promise<any>}
 * @throws Error if it ends with another code than 0
 */
export function runStep(script, args) {
  return new Promise((resolve, reject) => {
    const memory = `--max-old-space-size=${Math.floor((totalmem() / 2 ** 20) * 0.7)}`;
    const process_ = spawn(process.execPath, [memory, script, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    process_.stdout.on("data", (chunk) => {
      output += chunk;
    });
    process_.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(output.trim().split("\n").at(-1) ?? ""));
      else reject(new Error(`${basename(script)} ${args.slice(0, 2).join(" ")} ended with ${code}`));
    });
  });
}
