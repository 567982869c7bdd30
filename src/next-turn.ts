import { setImmediate } from "node:timers";
// Modules that are loaded later import this one, and get what it had when it was loaded first: before fake timers were switched on.
import "node:timers/promises";

/**
 * Resolves in the next round of the event loop: timers and sockets had their turn. It takes its time from the modules of Node.js, not
 * from globals, which test runners replace with fake timers: who waits here must not wait for a test to move the time on.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
