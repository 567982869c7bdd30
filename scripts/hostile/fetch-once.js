/** Fetches once in the way that it is told, and prints how that ended, how long it took and what memory it took. */
import { setTimeout as sleep } from "node:timers/promises";
import { connect, pullSlices, systemEnvironment } from "mirrorlake";

/** Imported by a name that the check of types does not follow: its declarations are there after a build only. */
const EMBEDDER = "mirrorlake/embed-openai";

const [how = "", url = "", time = "", lake = ""] = process.argv.slice(2);
const timeoutMs = Number(time);

/** @type {Readonly<Record<string, () => Promise<unknown>>>} */
const FETCHES = {
  connect: () => connect({ baseUrl: url, apiKey: "ml_key", timeoutMs }).search({ query: "x" }),
  embedder: async () => {
    const { openaiEmbedder } = await import(EMBEDDER);
    return (await openaiEmbedder({ baseUrl: url, model: "m", retries: 0, timeoutMs })).embedQuery("x");
  },
  pull: () =>
    pullSlices(url, {
      lake,
      retries: 0,
      stallMs: timeoutMs,
      environment: { ...systemEnvironment, sleep: async () => {} },
    }),
};

// What is held weakly has to be collected while the answer comes.
const collect = setInterval(() => globalThis.gc?.(), 50);
await sleep(200);
const before = process.memoryUsage.rss();
const started = performance.now();
let code = "answered";
try {
  await FETCHES[how]?.();
} catch (error) {
  code = /** @type {{ code?: string }} */ (error).code ?? String(error);
}
const ms = Math.round(performance.now() - started);
clearInterval(collect);
const growthMiB = Math.round(process.resourceUsage().maxRSS / 1024 - before / 2 ** 20);
console.log(JSON.stringify({ code, ms, growthMiB }));
