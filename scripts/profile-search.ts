import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openLake } from "mirrorlake";

/**
 * Where an in-process search spends its time, and how much JSON text it makes: a CPU profile of many searches with vectors
 * (kept with --out, for any profile viewer), its heaviest functions, and the characters that went through JSON meanwhile.
 */
const { values } = parseArgs({
  options: {
    lake: { type: "string" },
    query: { type: "string", default: "lantern" },
    searches: { type: "string", default: "500" },
    out: { type: "string" },
  },
});
const searches = Number(values.searches);
const params = { query: values.query, freshness: "90d" } as const;

/** Counts the characters that JSON.stringify gives and JSON.parse takes, until told to stop. */
function countJson(): () => number {
  const { parse, stringify } = JSON;
  let characters = 0;
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args) as string | undefined;
    characters += text?.length ?? 0;
    return text;
  }) as typeof stringify;
  JSON.parse = (text: string, reviver) => {
    characters += text.length;
    return parse(text, reviver);
  };
  return () => {
    Object.assign(JSON, { parse, stringify });
    return characters;
  };
}

const dir = await mkdtemp(join(tmpdir(), "mirrorlake-profile-"));
const lake = await openLake(values.lake ?? (await sampleLake(dir)), { limits: "off", account: "memory" });
await lake.account.topUp(1_000_000_000_000n as Parameters<typeof lake.account.topUp>[0]);
for (let i = 0; i < searches; i++) await lake.search(params);

const stop = countJson();
const answer = await lake.search(params);
const characters = stop();
const numbers = answer.data.reduce((sum, { vec }) => sum + (vec?.length ?? 0), 0);

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: 200 });
await session.post("Profiler.start");
const started = performance.now();
for (let i = 0; i < searches; i++) await lake.search(params);
const each = (performance.now() - started) / searches;
const { profile } = await session.post("Profiler.stop");
session.disconnect();
await lake.close();
await rm(dir, { recursive: true, force: true });
if (values.out !== undefined) await writeFile(values.out, JSON.stringify(profile));

const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
const self = new Map<string, number>();
let total = 0;
for (const [i, id] of (profile.samples ?? []).entries()) {
  const { functionName, lineNumber, url } = nodes.get(id)!;
  const file = url.startsWith("file:") ? basename(fileURLToPath(url)) : url;
  const name = `${functionName || "(anonymous)"} ${file === "" ? "(native)" : `${file}:${lineNumber + 1}`}`;
  const time = profile.timeDeltas?.[i] ?? 0;
  total += time;
  self.set(name, (self.get(name) ?? 0) + time);
}
console.log(
  `${searches} searches, ${each.toFixed(2)} ms each, ${answer.data.length} records, ${numbers} numbers`,
);
console.log(`JSON text made or read by one search: ${characters} characters`);
for (const [name, time] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 20))
  console.log(`${((100 * time) / total).toFixed(1).padStart(5)}%  ${name}`);

async function sampleLake(at: string): Promise<string> {
  const tools = new URL("../dist/conformance/sample/sample-lake.js", import.meta.url);
  const { buildSampleLake } = (await import(tools.href)) as { buildSampleLake(dir: string): Promise<string> };
  return buildSampleLake(at);
}
