/**
 * One step of one engine in a process of its own, so that memory and caches of engines do not mix. Prints one JSON line.
 * usage: node engine-run.js <engine> <prepare | build | search> <folder> <size> [setting as JSON]
 */
import { createReadStream, readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PAGE, videoId } from "./comments.js";
import { eventLoopDelay, latencies, latenciesFor, spread } from "./measure.js";
import { recordOf } from "./ours.js";
import { documents } from "./texts.js";

const WIDTH = 1536;
const BATCH = 1000;
/** How long look-ups are timed: one for each question would take 3 ms, which says how fast the machine is at that moment. */
const LOOKUPS_MS = 500;
const [engineName, step, folder, sizeText, settingText = "{}"] = process.argv.slice(2);
const size = Number(sizeText);
const setting = JSON.parse(settingText);
const dir = join(folder, engineName);
const given = engineName !== "fitted";

const ENGINES = {
  fitted: async () => (await import("./ours.js")).ours,
  ours: async () => (await import("./ours.js")).ours,
  lancedb: async () => (await import("./peers/lancedb.js")).lance,
  orama: async () => (await import("./peers/orama.js")).orama,
  minisearch: async () => (await import("./peers/minisearch.js")).minisearch,
  sqlite: async () => (await import("./peers/sqlite.js")).sqlite,
};

/** Records with their vectors, which were written once by `main.js`. */
async function* batches() {
  const vectors = vectorStream();
  let batch = [];
  for (const document of documents(size)) {
    const vector = given ? (await vectors.next()).value : undefined;
    batch.push({ record: recordOf(document), vector });
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

async function* vectorStream() {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(join(folder, "vectors.f32"), {
    highWaterMark: WIDTH * 4 * 256,
  })) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    for (; at + WIDTH * 4 <= rest.length; at += WIDTH * 4) {
      yield new Float32Array(rest.buffer.slice(rest.byteOffset + at, rest.byteOffset + at + WIDTH * 4));
    }
    rest = rest.subarray(at);
  }
}

function readQueries() {
  const queries = JSON.parse(readFileSync(join(folder, "queries.json"), "utf8"));
  const bytes = readFileSync(join(folder, "queries.f32"));
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return queries.map((query, i) => ({ ...query, vector: floats.slice(i * WIDTH, (i + 1) * WIDTH) }));
}

const memory = () => process.memoryUsage.rss() / 2 ** 20;

async function search(engine) {
  const queries = readQueries().slice(0, setting.queries);
  const options = {
    size,
    documents: batches,
    ...(given ? { queryVectors: new Map(queries.map((q) => [q.text, q.vector])) } : {}),
  };
  const warmUp = Math.min(20, Math.floor(queries.length / 4));
  const started = performance.now();
  const open = await engine.open(dir, options);
  const openMs = performance.now() - started;
  const openRss = memory();
  await open.ready?.();
  const result = { openMs, openRss };
  const time = async (name, call) => {
    if (open[name.split(" ")[0]] === undefined) return;
    result[name] = spread(await latencies(queries, call, warmUp));
  };
  const filters = [
    ["10 %", "bench-tenth"],
    ["1 %", "bench-hundredth"],
    ["0.1 %", "bench-thousandth"],
  ];
  const recall = async (key, platform, k) => {
    let found = 0;
    let wanted = 0;
    for (const query of queries) {
      const exact = query[key].slice(0, k);
      const answer = await open.vector(query.vector, k, platform, setting);
      const ids = new Set(answer.map((record) => record.id));
      found += exact.filter((id) => ids.has(id)).length;
      wanted += exact.length;
    }
    return found / wanted;
  };
  await time("keyword", (q) => open.keyword(q.text, 20));
  if (open.vector !== undefined) {
    result.recall10 = await recall("exact", undefined, 10);
    result.recall100 = await recall("exact", undefined, 100);
  }
  await time("vector", (q) => open.vector(q.vector, 20, undefined, setting));
  await time("hybrid", (q) => open.hybrid(q.text, q.vector, 20, undefined, setting));
  for (const [name, platform] of filters) {
    if (open.hybrid === undefined) break;
    result[`recall10 at ${name}`] = await recall(platform, platform, 10);
    await time(`vector at ${name}`, (q) => open.vector(q.vector, 20, platform, setting));
    await time(`hybrid at ${name}`, (q) => open.hybrid(q.text, q.vector, 20, platform, setting));
  }
  if (open.lookup !== undefined) {
    const ids = queries.flatMap((q) => q.exact);
    result.lookup = spread(await latenciesFor(LOOKUPS_MS, ids, open.lookup, warmUp));
  }
  const numbers = new Map(queries.map((q, n) => [q, n]));
  await time("comments", async (q) => {
    const page = await open.comments(videoId(size, numbers.get(q)));
    if (page.length !== PAGE) throw new Error(`${engineName} gives a page of ${page.length} comments`);
  });
  if (open.hybrid !== undefined)
    result.loopDelayP99 = await eventLoopDelay(queries, 20, (q) =>
      open.hybrid(q.text, q.vector, 20, undefined, setting),
    );
  result.rss = memory();
  await open.close();
  return result;
}

async function run() {
  const engine = await ENGINES[engineName]();
  await mkdir(dir, { recursive: true });
  if (step === "search") return search(engine);
  if (step === "prepare") await engine.prepare?.(dir, batches(), { size, vectors: given });
  else {
    const queryVectors =
      given && engineName === "ours" ? new Map(readQueries().map((q) => [q.text, q.vector])) : undefined;
    await engine.build(dir, batches(), { size, ...(queryVectors === undefined ? {} : { queryVectors }) });
  }
  const peak = /VmHWM:\s+(\d+)/.exec(await readFile("/proc/self/status", "utf8"));
  // From the start of the process: packages are loaded with an engine, or by the step that needs them.
  return { seconds: performance.now() / 1000, peakRss: Number(peak?.[1] ?? 0) / 1024 };
}

run().then(
  (result) => {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    process.exit(0);
  },
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
