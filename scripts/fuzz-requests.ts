import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CATALOGUE, openLake, startServer } from "mirrorlake";

/** What this script uses of the built testing tools, which are not exported. */
interface Tools {
  buildSampleLake(dir: string): Promise<string>;
  wireEntrance(send: typeof fetch, baseUrl: string, catalogue: unknown, apiKey: string): { send: unknown };
  runFuzz(target: object, count: number, seed: number): Promise<Readonly<Record<string, number>>>;
  parseUsd(text: string): never;
}

async function tools(): Promise<Tools> {
  const dist = new URL("../dist/", import.meta.url);
  const load = async (path: string) => (await import(new URL(path, dist).href)) as Tools;
  const { buildSampleLake } = await load("conformance/sample/sample-lake.js");
  const { wireEntrance } = await load("conformance/doors.js");
  const { runFuzz } = await load("testing/fuzz/run-fuzz.js");
  const { parseUsd } = await load("contract/money.js");
  return { buildSampleLake, wireEntrance, runFuzz, parseUsd };
}

const { values } = parseArgs({
  options: { count: { type: "string", default: "50000" }, seed: { type: "string", default: "1" } },
});
const count = Number(values.count);
const seed = Number(values.seed);

const { buildSampleLake, wireEntrance, runFuzz, parseUsd } = await tools();
const dir = await mkdtemp(join(tmpdir(), "mirrorlake-fuzz-"));
try {
  const lake = await openLake(await buildSampleLake(dir), {
    account: "memory",
    limits: "off",
    openingBalance: parseUsd("1000000"),
    onError: (error) => console.error(error),
  });
  const server = await startServer(lake.service);
  // Half of the requests go through the drop-in fetch, half over HTTP.
  for (const [door, send, base] of [
    ["fetch", lake.fetch as typeof fetch, "https://service.example"],
    ["http", fetch, server.url],
  ] as const) {
    const started = performance.now();
    const entrance = wireEntrance(send, base, CATALOGUE, lake.apiKey);
    const target = { catalogue: CATALOGUE, account: lake.account, ...entrance };
    const report = await runFuzz(target, Math.ceil(count / 2), seed);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${door}: ${Math.ceil(count / 2)} requests in ${seconds} s, by status ${JSON.stringify(report)}`,
    );
  }
  await server.close();
  await lake.close();
  console.log("no crash, no hang, no 500, nothing charged but what a 200 says");
} finally {
  await rm(dir, { recursive: true, force: true });
}
