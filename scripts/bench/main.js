/** Side-by-side benchmark of search engines over the same texts, vectors and filters. `npm run bench -- --help`. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { lakeLines, measureLake } from "./lake.js";
import { medians, ratios, table } from "./report.js";
import { runStep } from "./run-step.js";
import { SYNTHETIC, writeSynthetic } from "./synthetic-vectors.js";
import { PLATFORMS, questions } from "./texts.js";

const { openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("index.js"));

const here = fileURLToPath(new URL("./", import.meta.url));
const HELP = `usage: npm run bench -- [--size N] [--runs N] [--queries N] [--slow N] [--slow-runs N] [--engines LIST] [--vectors KIND]
                        [--folder DIR] [--json]

Builds each engine's index over the same seeded texts and vectors, then times keyword, vector, filtered and hybrid search
(20 full records with vectors and provenance), each engine in a process of its own, engines taking turns.
LanceDB is first asked with ever deeper settings until it finds .98 of the ten nearest; where none does, its best is timed.
Each setting that was tried is reported, as progress and as "tried" of --json.

  --size N        documents (default 10000)
  --runs N        runs of the search step; medians are shown (default 3; 0 builds the indexes only)
  --queries N     questions, written by people (default 120)
  --slow N        of these, as many for Orama, MiniSearch and SQLite, which take minutes over them all (default 40)
  --slow-runs N   runs of these three (default: as many as the others)
  --engines LIST  of fitted,ours,lancedb,orama,minisearch,sqlite (default: all; peers: npm install --prefix scripts/bench)
  --vectors KIND  of documents and questions: text (default: embedded by the default embedder), or what no text made: clusters
                  (unit vectors around one centre for 100 documents), uniform (all directions alike)
  --folder DIR    where the data goes; kept when given, so that a second call reuses the indexes
  --json          print the figures as JSON

With --lake it measures a lake that is there, such as that of \`npm run real-lake\`, as it is: sizes by file, open, RSS, hybrid search by
questions that people wrote and by pieces of the lake's own texts, recall in all, by language and platform and by segment beside
what the certificate says, the worst group, eight callers at once; and LanceDB over the same vectors at its best setting.
With --quick: sizes, open, RSS and hybrid search alone, which takes half a minute.`;

const { values } = parseArgs({
  options: {
    size: { type: "string", default: "10000" },
    runs: { type: "string", default: "3" },
    queries: { type: "string", default: "120" },
    slow: { type: "string", default: "40" },
    "slow-runs": { type: "string" },
    engines: { type: "string", default: "fitted,ours,lancedb,orama,minisearch,sqlite" },
    vectors: { type: "string", default: "text" },
    folder: { type: "string" },
    lake: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const SLOW = new Set(["orama", "minisearch", "sqlite"]);
const size = Number(values.size);
const WIDTH = 1536;

function say(text) {
  process.stderr.write(`${text}\n`);
}

function child(engine, step, folder, setting = {}) {
  return runStep(join(here, "engine-run.js"), [engine, step, folder, String(size), JSON.stringify(setting)]);
}

/** Bytes of a folder's files, those with several names once. */
async function diskBytes(dir) {
  const sizes = new Map();
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = await stat(join(entry.parentPath, entry.name));
    sizes.set(ino, size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** The lake with the default embedder: source of every engine's vectors, and of the exact answers. */
async function writeVectors(folder) {
  const client = await openLake(join(folder, "fitted/lake"), { limits: "off" });
  const { index, corpus } = client.lake;
  const all = corpus.match({});
  const ids = [];
  const rowOfId = new Map();
  for (let first = 0; first < all.size; first += 1000) {
    const rows = Array.from({ length: Math.min(1000, all.size - first) }, (_, i) => first + i);
    for (const [i, record] of (await corpus.records(rows)).entries()) {
      ids[rows[i]] = record.id;
      rowOfId.set(record.id, rows[i]);
    }
  }
  // Engines get documents in the order of generation, which is that of the number at the id's end.
  const order = [...ids].sort((a, b) => (a.slice(8) < b.slice(8) ? -1 : 1));
  const file = await open(join(folder, "vectors.f32"), "w");
  for (let first = 0; first < order.length; first += 500) {
    const vectors = await index.vectors(order.slice(first, first + 500).map((id) => rowOfId.get(id)));
    const bytes = new Float32Array(vectors.length * WIDTH);
    for (const [i, vector] of vectors.entries()) bytes.set(vector, i * WIDTH);
    await file.write(new Uint8Array(bytes.buffer));
  }
  await file.close();
  const texts = questions(Number(values.queries));
  const queries = [];
  const vectors = [];
  for (const text of texts) {
    const vector = await index.embedQuery(text);
    if (vector === undefined) continue;
    const exact = async (rows) =>
      (await index.nearest(vector, rows, { limit: 100, exact: true })).map((row) => ids[row]);
    const query = { text, exact: await exact(all) };
    for (const { slug } of PLATFORMS.slice(0, 3))
      query[slug] = await exact(corpus.match({ platforms: [slug] }));
    queries.push(query);
    vectors.push(vector);
  }
  const bytes = new Float32Array(vectors.length * WIDTH);
  for (const [i, vector] of vectors.entries()) bytes.set(vector, i * WIDTH);
  await writeFile(join(folder, "queries.f32"), new Uint8Array(bytes.buffer));
  await writeFile(join(folder, "queries.json"), JSON.stringify(queries));
  await client.close();
}

/** What an engine is asked for: the first setting that finds .98 of the ten nearest, else the best; and each that was tried. */
async function settingOf(engine, folder) {
  const name = { lancedb: ["./peers/lancedb.js", "lance"] }[engine];
  if (name === undefined) return { setting: SLOW.has(engine) ? { queries: Number(values.slow) } : {} };
  const { settings } = (await import(name[0]))[name[1]];
  const tried = [];
  let best = { setting: settings[0], recall: -1 };
  for (const setting of settings) {
    const { recall10, vector, hybrid, "hybrid at 1 %": few } = await child(engine, "search", folder, setting);
    tried.push({ setting, recall10, vector, hybrid, "hybrid at 1 %": few });
    const [one, both] = [vector, hybrid].map(({ p50, p99 }) => `${p50.toFixed(2)} / ${p99.toFixed(2)} ms`);
    say(
      `  ${engine} ${JSON.stringify(setting)}: recall@10 ${recall10.toFixed(4)}, vector ${one}, hybrid ${both}`,
    );
    if (recall10 > best.recall) best = { setting, recall: recall10 };
    if (recall10 >= 0.98) break;
  }
  return { setting: best.setting, tried };
}

/** Refuses a folder whose data is not what is asked for; a new one is marked. */
async function checkFolder(folder) {
  const wanted = JSON.stringify({ size, vectors: values.vectors, queries: Number(values.queries) });
  const mark = join(folder, "data.json");
  if (!existsSync(mark)) return writeFile(mark, wanted);
  const there = await readFile(mark, "utf8");
  if (there !== wanted)
    throw new Error(`${folder} holds data of ${there}, not of ${wanted}; name another folder`);
}

/** Measures a lake that is there. */
async function ofLake(lake) {
  const engines = values.engines.split(",");
  const { folder, quick } = values;
  const report = await measureLake({ lake, folder, runs: Number(values.runs), engines, quick, say });
  console.log(values.json ? JSON.stringify(report, null, 2) : lakeLines(report).join("\n"));
}

async function main() {
  if (values.help) return console.log(HELP);
  if (values.lake !== undefined) return ofLake(values.lake);
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), "mirrorlake-bench-")));
  if (values.vectors !== "text" && !SYNTHETIC.includes(values.vectors))
    throw new RangeError(`--vectors is ${values.vectors}; it is one of text, ${SYNTHETIC.join(", ")}`);
  await mkdir(folder, { recursive: true });
  await checkFolder(folder);
  const asked = values.engines.split(",");
  const engines = values.vectors === "text" ? asked : asked.filter((engine) => engine !== "fitted");
  const results = Object.fromEntries(engines.map((engine) => [engine, {}]));
  try {
    if (!existsSync(join(folder, "queries.json")) && SYNTHETIC.includes(values.vectors)) {
      say(`${values.vectors}: ${size} vectors`);
      await writeSynthetic(folder, { kind: values.vectors, size, queries: Number(values.queries) });
    }
    if (!existsSync(join(folder, "queries.json"))) {
      say(`fitted: ${size} documents`);
      await child("fitted", "prepare", folder);
      const built = await child("fitted", "build", folder);
      await writeFile(join(folder, "fitted.json"), JSON.stringify(built));
      await writeVectors(folder);
    }
    for (const engine of engines) {
      const record = join(folder, `${engine}.json`);
      if (!existsSync(record)) {
        say(`${engine}: building`);
        const prepared = engine === "ours" ? await child(engine, "prepare", folder) : { seconds: 0 };
        const built = await child(engine, "build", folder);
        await writeFile(record, JSON.stringify({ ...built, prepareSeconds: prepared.seconds }));
      }
      const built = JSON.parse(await readFile(record, "utf8"));
      Object.assign(results[engine], { "build s": built.seconds, "build peak MiB": built.peakRss });
      if (built.prepareSeconds > 0) results[engine]["slices s"] = built.prepareSeconds;
      const index = join(folder, engine, ["fitted", "ours"].includes(engine) ? "lake" : "");
      results[engine]["disk MiB"] = (await diskBytes(index)) / 2 ** 20;
    }
    /** @type {Record<string, object[]>} */
    const runs = Object.fromEntries(engines.map((engine) => [engine, []]));
    const settings = {};
    const tried = {};
    if (Number(values.runs) === 0) return;
    for (const engine of engines) {
      const chosen = await settingOf(engine, folder);
      settings[engine] = chosen.setting;
      if (chosen.tried !== undefined) tried[engine] = chosen.tried;
    }
    for (let run = 0; run < Number(values.runs); run += 1) {
      for (const engine of engines) {
        if (SLOW.has(engine) && run >= Number(values["slow-runs"] ?? values.runs)) continue;
        say(`run ${run + 1}: ${engine} ${JSON.stringify(settings[engine])}`);
        runs[engine].push(await child(engine, "search", folder, settings[engine]));
      }
    }
    for (const engine of engines) Object.assign(results[engine], medians(runs[engine]));
    const machine = `${cpus().length} cores (${cpus()[0].model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
    const report = {
      size,
      vectors: values.vectors,
      machine,
      settings,
      tried,
      results,
      ratios: ratios(results),
    };
    if (values.json) console.log(JSON.stringify(report, null, 2));
    else {
      console.log(`${size} documents; ${machine}; ms as p50 / p99; memory in MiB`);
      for (const part of [results, report.ratios])
        if (Object.keys(part).length > 0) console.log(`\n${table(part)}`);
    }
  } finally {
    if (values.folder === undefined) await rm(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
