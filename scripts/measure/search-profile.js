import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
/** @import { Profiler } from "node:inspector/promises" */
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
const params = /** @type {const} */ ({ query: values.query, freshness: "90d" });

/**
 * Counts the characters that JSON.stringify writes and JSON.parse reads.
 * @returns {() => number} stops counting and returns the count
 */
function countJson() {
  const { parse, stringify } = JSON;
  let characters = 0;
  JSON.stringify = /** @type {typeof stringify} */ (
    (/** @type {Parameters<typeof stringify>} */ ...args) => {
      const text = /** @type {string | undefined} */ (stringify(...args));
      characters += text?.length ?? 0;
      return text;
    }
  );
  JSON.parse = (/** @type {string} */ text, reviver) => {
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
await lake.account.topUp(/** @type {Parameters<typeof lake.account.topUp>[0]} */ (1_000_000_000_000n));
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
const self = new Map();
let total = 0;
for (const [i, id] of (profile.samples ?? []).entries()) {
  const { functionName, lineNumber, url } = /** @type {Profiler.Profile["nodes"][number]["callFrame"]} */ (
    nodes.get(id)
  );
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

/**
 * @param {string} at
 * @returns {Promise<string>}
 */
async function sampleLake(at) {
  const tools = new URL("../../build/conformance/sample/sample-lake.js", import.meta.url);
  const { buildSampleLake } = /** @type {{ buildSampleLake(dir: string): Promise<string> }} */ (
    await import(tools.href)
  );
  return buildSampleLake(at);
}
