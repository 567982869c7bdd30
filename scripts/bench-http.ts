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

interface Load {
  readonly url: string;
  readonly apiKey: string;
  readonly body: string;
}

/** In the second process: asks as fast as it can, and tells how many answers came. */
async function load({ url, apiKey, body }: Load): Promise<{ answers: number; bytes: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { "x-api-key": apiKey, "content-type": "application/json", "content-length": body.length };
  const until = performance.now() + SECONDS * 1000;
  let answers = 0;
  let bytes = 0;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(url, { agent, method: "POST", headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on("end", () => resolve());
      });
      sent.on("error", reject);
      sent.end(body);
    });
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

async function measure(target: Load): Promise<{ perSecond: number; bytes: number }> {
  const child = fork(fileURLToPath(import.meta.url), ["--child"]);
  child.send(target);
  const [{ answers, bytes }] = (await once(child, "message")) as [{ answers: number; bytes: number }];
  child.disconnect();
  return { perSecond: answers / SECONDS, bytes: bytes / answers };
}

async function main(given: string | undefined, query: string): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "mirrorlake-bench-http-"));
  const lake = await openLake(given ?? (await sampleLake(dir)), { limits: "off", account: "memory" });
  await lake.account.topUp(1_000_000_000_000n as Parameters<typeof lake.account.topUp>[0]);
  const params = { query, freshness: "90d" } as const;
  const body = JSON.stringify(params);
  const { apiKey } = lake;

  const ours = await startServer(lake.service);
  const kept = await lake.service.call({ method: "POST", path: "/v1/search", body: params, apiKey });
  const oursKept = await startServer({ catalogue: [], call: async () => kept });
  const text = await (
    await fetch(`${ours.url}/v1/search`, { method: "POST", body, headers: jsonHeaders(apiKey) })
  ).text();
  const ready = JSON.parse(text) as { data: { id: string; vec: number[] }[] };
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
  const rates = new Map<string, number[]>(Object.keys(servers).map((name) => [name, []]));
  const sizes = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, url] of Object.entries(servers)) {
      const { perSecond, bytes } = await measure({ url: `${url}/v1/search`, apiKey, body });
      if (round > 0) rates.get(name)!.push(perSecond); // the first round warms up
      sizes.set(name, bytes);
    }
  }
  const median = (of: readonly number[]) => [...of].sort((a, b) => a - b)[of.length >> 1]!;
  const rate = (name: keyof typeof servers) => median(rates.get(name)!);
  const size = (name: string) => Math.round(sizes.get(name)! / 1024);
  for (const name of Object.keys(servers) as (keyof typeof servers)[])
    console.log(`${name.padEnd(36)} ${rate(name).toFixed(0).padStart(6)} requests/s of ${size(name)} KiB`);
  const ratio = (ours: keyof typeof servers, theirs: keyof typeof servers) =>
    (rate(ours) / rate(theirs)).toFixed(2);
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

/** A plain Hono server that answers with JSON.stringify. */
function plain(answer: () => Promise<object>): Promise<{ url: string; close: () => void }> {
  const app = new Hono();
  app.post("/v1/search", async (context) => context.json(await answer()));
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() }),
    );
  });
}

function jsonHeaders(apiKey: string): Record<string, string> {
  return { "x-api-key": apiKey, "content-type": "application/json" };
}

async function sampleLake(dir: string): Promise<string> {
  const tools = new URL("../dist/conformance/sample/sample-lake.js", import.meta.url);
  const { buildSampleLake } = (await import(tools.href)) as { buildSampleLake(dir: string): Promise<string> };
  return buildSampleLake(dir);
}

const { values } = parseArgs({
  options: {
    child: { type: "boolean" },
    lake: { type: "string" },
    query: { type: "string", default: "lantern" },
  },
});
if (values.child) process.once("message", async (target: Load) => process.send!(await load(target)));
else await main(values.lake, values.query);
