// Opens a lake, asks it, and prints what it found as one line of JSON: node read-only-child.js <index.js> <lake> [options]
// Goes on holding the lake where "hold" is among its arguments.
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, path, options, hold] = process.argv.slice(2);
const { openLake } = await import(pathToFileURL(module).href);
const notices = [];
try {
  const lake = await openLake(path, { ...JSON.parse(options), onNotice: (text) => notices.push(text) });
  const { data, meta } = await lake.search({ query: "camera", limit: 2 });
  const [{ n }] = await lake.sql("SELECT count(*) AS n FROM records");
  writeSync(1, `${JSON.stringify({ found: data.length, balance: meta.balance_usd, n, notices })}\n`);
  if (hold === "hold") {
    setInterval(() => {}, 1000);
    globalThis.lake = lake;
  } else await lake.close();
} catch (error) {
  const { code } = /** @type {{ code?: unknown }} */ (error);
  writeSync(1, `${JSON.stringify({ error: String(error), code })}\n`);
  process.exitCode = 1;
}
