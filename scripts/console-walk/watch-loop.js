/**
 * Loaded before a server: watches how long its event loop is held, in the clock's time and in the processor's. A message `start` starts
 * over, `read` is answered by the longest times since. The processor's time is that of the thread by Linux; elsewhere it is NaN.
 */
import { closeSync, openSync, readSync } from "node:fs";

/** Interval of the looks, ms: what is measured is longer than the hold by as much. */
const EVERY_MS = 2;

/** @returns {() => number} milliseconds that the processor worked for the main thread */
function mainThreadClock() {
  if (process.platform !== "linux") return () => Number.NaN;
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  process.once("exit", () => closeSync(file));
  const text = Buffer.alloc(100);
  return () => Number(text.toString("latin1", 0, readSync(file, text, 0, 100, 0)).split(" ")[0]) / 1e6;
}

const processor = mainThreadClock();
let last = { wall: performance.now(), worked: processor() };
let longest = { wallMs: 0, processorMs: 0 };

setInterval(() => {
  const now = { wall: performance.now(), worked: processor() };
  longest = {
    wallMs: Math.max(longest.wallMs, now.wall - last.wall),
    processorMs: Math.max(longest.processorMs, now.worked - last.worked),
  };
  last = now;
}, EVERY_MS).unref();

process.on("message", (message) => {
  if (message === "start") longest = { wallMs: 0, processorMs: 0 };
  process.send?.(longest);
});
process.channel?.unref();
