// Does one piece of work in a process of its own, for tests that let it fail: node work-child.js <work> <options as JSON>
// On failure it prints the error as JSON and ends with code 1; where files of the folder with faults stay open, with code 3.
import { readdirSync, readlinkSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { WORKS } from "./works.js";

const [name, text] = process.argv.slice(2);

/** Files under the folder with faults that are open still. */
function openFiles() {
  const root = `${process.env.MIRRORLAKE_FAULT_ROOT}/`;
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`);
      return path.startsWith(root) ? [path] : [];
    } catch {
      return []; // the descriptor of the listing itself
    }
  });
}

try {
  await WORKS[name](JSON.parse(text));
} catch (error) {
  const { name, code, message, remedy, stack, cause } = /** @type {any} */ (error);
  writeSync(2, `${JSON.stringify({ name, code, message, remedy, stack, cause: cause?.stack })}\n`);
  process.exitCode = 1;
}
// Results of the engines hold their file until the collector takes them: what it lets go of has not leaked.
setFlagsFromString("--expose-gc");
const collect = /** @type {() => void} */ (runInNewContext("gc"));
for (let waited = 0; openFiles().length > 0 && waited < 1000; waited += 50) {
  collect();
  await sleep(50);
}
if (openFiles().length > 0) {
  writeSync(2, `${JSON.stringify({ open: openFiles() })}\n`);
  process.exitCode = 3;
}
