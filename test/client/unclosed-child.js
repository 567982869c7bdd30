// Opens a lake again and again, asks it, and forgets it without closing it. Prints "alive" once the garbage collector has been there.
import { setTimeout as wait } from "node:timers/promises";
import { openLake } from "mirrorlake";

const path = /** @type {string} */ (process.argv[2]);

async function ask() {
  const lake = await openLake(path);
  await lake.search({ query: "coffee", limit: 1 });
  const rows = lake.sqlStream("SELECT id FROM records")[Symbol.asyncIterator]();
  await rows.next();
}

for (let round = 0; round < 8; round += 1) {
  await ask();
  // The account's log is synced a moment after a call.
  await wait(100);
  globalThis.gc?.();
}
await wait(100);
console.log("alive");
process.exit();
