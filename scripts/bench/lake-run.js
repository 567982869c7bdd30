/**
 * One step of a measurement of an existing lake in a process of its own. Prints one JSON line.
 * usage: node lake-run.js <questions | open | search | lancedb-build | lancedb-search> <lake> <folder> [setting as JSON]
 */
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { built } from "../built.js";
import { judgedQuestions, pieces } from "./lake-questions.js";
import { eventLoopDelay, latencies, spread } from "./measure.js";

// What the package's main entry is, so that a process holds what a program's would.
const { openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("lazy-index.js"));
const { parseUsd } = /** @type {typeof import("../../src/contract/money.js")} */ (
  await built("contract/money.js")
);
const { RowSet } = /** @type {typeof import("../../src/contract/lake/row-set.js")} */ (
  await built("contract/lake/row-set.js")
);
const { VectorSet } = /** @type {typeof import("../../src/search/vector/vector-set.js")} */ (
  await built("search/vector/vector-set.js")
);
const { readVectorSetManifest } =
  /** @type {typeof import("../../src/search/vector/vector-set-manifest.js")} */ (
    await built("search/vector/vector-set-manifest.js")
  );

const WIDTH = 1536;
const DEPTH = 100;
const WARM_UP = 40;
const BATCH = 500;
const [step, lake, folder, settingText = "{}"] = process.argv.slice(2);
const setting = JSON.parse(settingText);
const questionsFile = join(folder, "lake-questions.json");
const vectorsFile = join(folder, "lake-questions.f32");
const memory = () => process.memoryUsage.rss() / 2 ** 20;

/** The index's folder of the newest generation. */
async function indexFolder() {
  const numbers = (await readdir(join(lake, "generations"))).map(Number).filter(Number.isInteger);
  return join(lake, "generations", String(Math.max(...numbers)), "search");
}

function open() {
  return openLake(lake, { limits: "off", account: "memory" });
}

/** Reads all records, in batches. */
async function* records(corpus, rows) {
  for (let first = 0; first < rows.length; first += BATCH)
    yield corpus.records(rows.slice(first, first + BATCH));
}

/** Writes the questions, each with its exact neighbours, by rows; `every`: one of so many. */
async function questions() {
  const client = await open();
  const { corpus, index } = client.lake;
  const all = corpus.match({});
  const list = [];
  for await (const batch of records(corpus, [...all.rows()])) {
    for (const { platform, title, text } of batch) list.push({ platform, title, text: text?.slice(0, 300) });
  }
  const asked = [];
  const vectors = [];
  const { every = 1 } = setting;
  const wanted = [...judgedQuestions(), ...pieces(list)].filter((_, i) => i % every === 0);
  for (const { group, text } of wanted) {
    const vector = await index.embedQuery(text);
    if (vector === undefined) continue;
    const exact = await index.nearest(vector, all, { limit: DEPTH, exact: true });
    asked.push({ group, text, exact });
    vectors.push(Buffer.from(vector.slice().buffer));
  }
  await client.close();
  await writeFile(vectorsFile, Buffer.concat(vectors));
  await writeFile(questionsFile, JSON.stringify(asked));
  return { questions: asked.length };
}

/** The questions without their vectors, which say nothing of what a lake takes of memory. */
async function readTexts() {
  return JSON.parse(await readFile(questionsFile, "utf8"));
}

async function readQuestions() {
  const asked = await readTexts();
  const bytes = await readFile(vectorsFile);
  const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return asked.map((question, i) => ({ ...question, vector: vectors.subarray(i * WIDTH, (i + 1) * WIDTH) }));
}

const share = (exact, found, k) => {
  const near = new Set(found.slice(0, k));
  return exact.slice(0, k).filter((row) => near.has(row)).length / Math.min(k, exact.length);
};
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/** Recall, and time in ms, of each question among some rows; `exact` says what is right where it is not the whole. */
async function recallAmong(index, asked, rows, exactOf) {
  const found = [];
  for (const question of asked) {
    const exact = await exactOf(question);
    const began = performance.now();
    const near = await index.nearest(question.vector, rows, { limit: DEPTH, query: question.text });
    const ms = performance.now() - began;
    found.push({
      group: question.group,
      ms,
      recall10: share(exact, near, 10),
      recall100: share(exact, near, DEPTH),
    });
  }
  return found;
}

function summary(found) {
  return {
    "recall@10": mean(found.map((f) => f.recall10)),
    "recall@100": mean(found.map((f) => f.recall100)),
    ...spread(found.map((f) => f.ms)),
  };
}

async function measureOpen() {
  const began = performance.now();
  const client = await open();
  const ms = performance.now() - began;
  await client.search({ query: "first question", freshness: "90d" });
  const first = performance.now() - began;
  await client.close();
  const again = performance.now();
  await (await open()).close();
  return {
    "open ms": ms,
    "open and a first answer ms": first,
    "open and close again ms": performance.now() - again,
  };
}

async function search() {
  const texts = await readTexts();
  const client = await open();
  await client.account.topUp(parseUsd("1000000"));
  const { corpus, index } = client.lake;
  const ask = (question, filter = {}) =>
    client.search({ query: question.text, freshness: "90d", limit: 20, ...filter });
  const timed = {};
  const warmedUp = setting.warm === true ? await client.warmUp() : undefined;
  // With `halves`, every second question is timed after the others: in a process that has compiled what it runs, by questions it has not had.
  const halves = setting.halves === true;
  const warmUp = halves ? texts.filter((_, i) => i % 2 === 1) : texts.slice(0, WARM_UP);
  const timedTexts = halves ? texts.filter((_, i) => i % 2 === 0) : texts;
  const taken = await latencies([...warmUp, ...timedTexts], (q) => ask(q), warmUp.length);
  timed.hybrid = spread(taken);
  const rss = memory();
  if (setting.quick === true || halves) {
    const { count } = corpus.match({});
    await client.close();
    return { records: count, questions: timedTexts.length, warmedUp, timed, "RSS MiB": rss };
  }
  const asked = await readQuestions();
  const round = [...asked.slice(0, WARM_UP), ...asked];
  const times = new Map();
  for (const [i, { group }] of asked.entries()) times.set(group, [...(times.get(group) ?? []), taken[i]]);
  const all = corpus.match({});
  for (const mode of /** @type {const} */ (["keyword", "semantic"])) {
    timed[mode] = spread(
      await latencies(round, (q) => index.rank(q.text, all, { limit: 20, mode }), WARM_UP),
    );
  }
  const platforms = corpus
    .platforms()
    .map(({ slug }) => ({ slug, rows: corpus.match({ platforms: [slug] }).count }));
  const present = platforms.filter(({ rows }) => rows > 0).sort((a, b) => b.rows - a.rows);
  const chosen = new Set(
    [0, Math.floor(present.length / 2), present.length - 1].flatMap((i) => present[i] ?? []),
  );
  for (const { slug, rows } of chosen) {
    const among = await latencies(round, (q) => ask(q, { platforms: [slug] }), WARM_UP);
    timed[`hybrid among ${rows} of ${slug}`] = spread(among);
  }
  for (const least of new Set([present[0], present.at(-1)].flatMap((each) => each ?? []))) {
    const others = present.filter((each) => each !== least).map(({ slug }) => slug);
    if (others.length === 0) continue;
    const among = await latencies(round, (q) => ask(q, { platforms: others }), WARM_UP);
    timed[`hybrid among ${corpus.match({ platforms: others }).count}, all but ${least.slug}`] = spread(among);
  }
  const eight = [];
  const began = performance.now();
  const delay = await eventLoopDelay(asked, 8, async (q) => {
    const from = performance.now();
    await ask(q);
    eight.push(performance.now() - from);
  });
  const concurrent = {
    "searches a second": (1000 * asked.length) / (performance.now() - began),
    ...spread(eight),
    "event loop p99": delay,
  };
  const rssAtEnd = memory();
  const recall = await recallAmong(index, asked, all, (q) => q.exact);
  const groups = {};
  for (const [group, ms] of times) {
    const { "recall@10": r10, "recall@100": r100 } = summary(recall.filter((f) => f.group === group));
    groups[group] = { questions: ms.length, hybrid: spread(ms), "recall@10": r10, "recall@100": r100 };
  }
  const segments = await bySegment(index, asked, recall);
  await client.close();
  return {
    records: all.count,
    questions: asked.length,
    timed,
    concurrent,
    "RSS MiB": rss,
    "RSS MiB after all": rssAtEnd,
    recall: summary(recall),
    groups,
    segments,
  };
}

/** Each segment alone: its certificate beside what questions find, which of a single one is known. */
async function bySegment(index, asked, ofAll) {
  const dir = await indexFolder();
  const { segments, documentCount } = JSON.parse(await readFile(join(dir, "index.json"), "utf8"));
  const certificate = JSON.parse(await readFile(join(dir, "certificate.json"), "utf8"));
  const measured = {};
  let first = 0;
  for (const { name, documentCount: count } of segments) {
    const rows = RowSet.fromPredicate(documentCount, (row) => row >= first && row < first + count);
    const sample = asked.filter((_, i) => i % Math.max(1, Math.floor(segments.length / 2)) === 0);
    const exact = (q) => index.nearest(q.vector, rows, { limit: DEPTH, exact: true });
    const found = segments.length === 1 ? ofAll : await recallAmong(index, sample, rows, exact);
    const set = certificate.sets.find((s) => s.segment === name)?.recall.find((r) => r.selectivity === 1);
    const step = set?.measured.at(-1);
    const { "recall@10": r10, "recall@100": r100, ...ms } = summary(found);
    measured[name] = {
      rows: count,
      step: step === undefined ? "exact" : `${step.by} ${step.breadth ?? ""} ${step.depth}`,
      certified: step === undefined ? [1, 1] : [step.recall10, step.recall100],
      measured: [r10, r100],
      vector: ms,
    };
    first += count;
  }
  return measured;
}

/** Records and local vectors as LanceDB's table wants them. */
async function* documents() {
  const client = await open();
  const { corpus } = client.lake;
  const dir = await indexFolder();
  let first = 0;
  const { segments } = JSON.parse(await readFile(join(dir, "index.json"), "utf8"));
  for (const { name, documentCount } of segments) {
    const at = join(dir, name, "local");
    const set = await VectorSet.open(at, await readVectorSetManifest(at));
    for (let from = 0; from < documentCount; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, documentCount - from) }, (_, i) => first + from + i);
      const batch = await corpus.records(rows);
      const vectors = new Float32Array(rows.length * WIDTH);
      set.readRun(from, rows.length, vectors);
      yield batch.map(({ id, src, platform, lang, title, text, prov, ...rest }, i) => ({
        record: {
          id,
          row: rows[i],
          src,
          platform,
          lang: lang ?? "",
          title: title ?? "",
          text: text || title || "-",
          rest: JSON.stringify(rest),
          prov,
        },
        vector: vectors.subarray(i * WIDTH, (i + 1) * WIDTH),
      }));
    }
    set.close();
    first += documentCount;
  }
  await client.close();
}

async function lanceBuild() {
  const { lance } = await import("./peers/lancedb.js");
  const began = performance.now();
  await lance.build(join(folder, "lancedb"), documents(), { size: 100 });
  return { "build s": (performance.now() - began) / 1000 };
}

async function lanceSearch() {
  const { lance } = await import("./peers/lancedb.js");
  const asked = await readQuestions();
  const table = await lance.open(join(folder, "lancedb"));
  const sample = asked.filter((_, i) => i % (setting.every ?? 1) === 0);
  const found = [];
  for (const { vector, exact, group } of sample) {
    const began = performance.now();
    const near = (await table.vector(vector, DEPTH, undefined, setting)).map(({ row }) => Number(row));
    found.push({
      group,
      ms: performance.now() - began,
      recall10: share(exact, near, 10),
      recall100: share(exact, near, DEPTH),
    });
  }
  const round = [...sample.slice(0, WARM_UP), ...sample];
  const hybrid = spread(
    await latencies(round, (q) => table.hybrid(q.text, q.vector, 20, undefined, setting), WARM_UP),
  );
  const vector = spread(
    await latencies(round, (q) => table.vector(q.vector, 20, undefined, setting), WARM_UP),
  );
  const { "recall@10": r10, "recall@100": r100 } = summary(found);
  const rss = memory();
  await table.close();
  return { setting, "recall@10": r10, "recall@100": r100, vector, hybrid, "RSS MiB": rss };
}

const steps = {
  questions,
  open: measureOpen,
  search,
  "lancedb-build": lanceBuild,
  "lancedb-search": lanceSearch,
};
if (step === "questions" && existsSync(questionsFile)) {
  process.stdout.write("{}\n");
  process.exit(0);
}
steps[step]().then(
  (result) => {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    process.exit(0);
  },
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
