// Does pieces of work one after the other, each with a fault of its own, as a process that lives long: node work-loop.js
// Each line of standard input is { work, options, fault } as JSON; descriptor 3 gets a line for each: { error, open }.
import { mkdirSync, readdirSync, readlinkSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { WORKS } from "./works.js";

/** Longest time for what was opened to be closed, ms. */
const PATIENCE_MS = 1000;
const collect = /** @type {() => void} */ (/** @type {any} */ (globalThis).gc);

/** @param {string} fault */
function choose(fault) {
  mkdirSync(`/mirrorlake-fault/${fault}`);
}

/** Files under the folder with faults that are open still. */
async function leftOpen() {
  const root = `${process.env.MIRRORLAKE_FAULT_ROOT}/`;
  const open = () =>
    readdirSync("/proc/self/fd").flatMap((number) => {
      try {
        const path = readlinkSync(`/proc/self/fd/${number}`);
        return path.startsWith(root) ? [path] : [];
      } catch {
        return []; // the descriptor of the listing itself
      }
    });
  // Statements of libsql hold their file until the collector takes them.
  for (let waited = 0; open().length > 0 && waited < PATIENCE_MS; waited += 20) {
    collect();
    await sleep(20);
  }
  return open();
}

for await (const line of createInterface({ input: process.stdin })) {
  const { work, options, fault } = JSON.parse(line);
  /** @type {unknown} */
  let failure;
  choose(fault);
  try {
    await WORKS[work](options);
  } catch (error) {
    const { name, code, message, remedy, stack, cause } = /** @type {any} */ (error);
    failure = { name, code, message, remedy, stack, cause: cause?.stack };
  }
  choose("off");
  writeSync(3, `${JSON.stringify({ error: failure, open: await leftOpen() })}\n`);
}
