import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { openLake, startServer } from "mirrorlake";

/**
 * Requests a second of `POST /v1/search` with vectors over HTTP on loopback, the load coming from a second process:
 * `mirrorlake serve`'s server, against plain Hono with `JSON.stringify` around the very same search, and against plain Hono
 * that only writes one ready answer (no search, no account). Rounds alternate; medians are printed.
 */
const SECONDS = 4;
const ROUNDS = 5;
const CONNECTIONS = 8;

/** @typedef {{ readonly url: string; readonly apiKey: string; readonly body: string; }} Load */

/**
 * In the second process: asks as fast as it can, and tells how many answers came.
 * @param {Load} options
 * @returns {Promise<{ answers: number; bytes: number }>}
 */
async function load({ url, apiKey, body }) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { "x-api-key": apiKey, "content-type": "application/json", "content-length": body.length };
  const until = performance.now() + SECONDS * 1000;
  let answers = 0;
  let bytes = 0;
  const ask = () =>
    /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => {
        const sent = request(url, { agent, method: "POST", headers }, (response) => {
          if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
          response.on("data", (/** @type {Buffer} */ chunk) => {
            bytes += chunk.length;
          });
          response.on("end", () => resolve());
        });
        sent.on("error", reject);
        sent.end(body);
      })
    );
  const worker = async () => {
    while (performance.now() < until) {
      await ask();
      answers++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  agent.destroy();
  return { answers, bytes };
}

/**
 * @param {Load} target
 * @returns {Promise<{ perSecond: number; bytes: number }>}
 */
async function measure(target) {
  const child = fork(fileURLToPath(import.meta.url), ["--child"]);
  child.send(target);
  const [{ answers, bytes }] = /** @type {[{ answers: number; bytes: number }]} */ (
    await once(child, "message")
  );
  child.disconnect();
  return { perSecond: answers / SECONDS, bytes: bytes / answers };
}

/**
 * @param {string | undefined} given
 * @param {string} query
 * @returns {Promise<void>}
 */
async function main(given, query) {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-bench-http-"));
  const lake = await openLake(given ?? (await sampleLake(dir)), { limits: "off", account: "memory" });
  await lake.account.topUp(/** @type {Parameters<typeof lake.account.topUp>[0]} */ (1_000_000_000_000n));
  const params = /** @type {const} */ ({ query, freshness: "90d" });
  const body = JSON.stringify(params);
  const { apiKey } = lake;

  const ours = await startServer(lake.service);
  const kept = await lake.service.call({ method: "POST", path: "/v1/search", body: params, apiKey });
  const oursKept = await startServer({ catalogue: [], call: async () => kept });
  const text = await (
    await fetch(`${ours.url}/v1/search`, { method: "POST", body, headers: jsonHeaders(apiKey) })
  ).text();
  const ready = /** @type {{ data: { id: string; vec: number[] }[] }} */ (JSON.parse(text));
  // The plain servers write the numbers as ours writes them, so that all bodies are the same text.
  const numbers = new Map(ready.data.map(({ id, vec }) => [id, vec]));
  const searching = await plain(async () => {
    const answer = await lake.search(params);
    return { ...answer, data: answer.data.map((record) => ({ ...record, vec: numbers.get(record.id) })) };
  });
  const writing = await plain(async () => ready);

  const servers = {
    "search: ours": ours.url,
    "search: Hono + JSON.stringify": searching.url,
    "ready answer: ours": oursKept.url,
    "ready answer: Hono + JSON.stringify": writing.url,
  };
  /** @type {Map<string, number[]>} */
  const rates = new Map(Object.keys(servers).map((name) => [name, []]));
  const sizes = new Map();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, url] of Object.entries(servers)) {
      const { perSecond, bytes } = await measure({ url: `${url}/v1/search`, apiKey, body });
      if (round > 0) rates.get(name)?.push(perSecond); // the first round warms up
      sizes.set(name, bytes);
    }
  }
  /** @param {readonly number[]} of */
  const median = (of) => [...of].sort((a, b) => a - b)[of.length >> 1];
  /** @param {keyof typeof servers} name */
  const rate = (name) => median(rates.get(name) ?? []);
  /** @param {string} name */
  const size = (name) => Math.round(sizes.get(name) / 1024);
  for (const name of /** @type {(keyof typeof servers)[]} */ (Object.keys(servers)))
    console.log(`${name.padEnd(36)} ${rate(name).toFixed(0).padStart(6)} requests/s of ${size(name)} KiB`);
  /**
   * @param {keyof typeof servers} ours
   * @param {keyof typeof servers} theirs
   */
  const ratio = (ours, theirs) => (rate(ours) / rate(theirs)).toFixed(2);
  console.log(
    `search, ours to plain:               ${ratio("search: ours", "search: Hono + JSON.stringify")}×`,
  );
  console.log(
    `search of ours to a ready plain one: ${ratio("search: ours", "ready answer: Hono + JSON.stringify")}×`,
  );
  console.log(
    `ready answer, ours to plain:         ${ratio("ready answer: ours", "ready answer: Hono + JSON.stringify")}×`,
  );
  await oursKept.close();
  searching.close();
  writing.close();
  await ours.close();
  await lake.close();
  await rm(dir, { recursive: true, force: true });
}

/**
 * A plain Hono server that answers with JSON.stringify.
 * @param {() => Promise<object>} answer
 * @returns {Promise<{ url: string; close: () => void }>}
 */
function plain(answer) {
  const app = new Hono();
  app.post("/v1/search", async (context) => context.json(await answer()));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() }),
    );
  });
}

/**
 * @param {string} apiKey
 * @returns {Record<string, string>}
 */
function jsonHeaders(apiKey) {
  return { "x-api-key": apiKey, "content-type": "application/json" };
}

/**
 * @param {string} dir
 * @returns {Promise<string>}
 */
async function sampleLake(dir) {
  const tools = new URL("../../build/conformance/sample/sample-lake.js", import.meta.url);
  const { buildSampleLake } = /** @type {{ buildSampleLake(dir: string): Promise<string> }} */ (
    await import(tools.href)
  );
  return buildSampleLake(dir);
}

const { values } = parseArgs({
  options: {
    child: { type: "boolean" },
    lake: { type: "string" },
    query: { type: "string", default: "lantern" },
  },
});
if (values.child)
  process.once("message", async (/** @type {Load} */ target) => process.send?.(await load(target)));
else await main(values.lake, values.query);
