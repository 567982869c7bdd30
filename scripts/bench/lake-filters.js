/**
 * Recall of vector search of an existing lake among what filters leave: each platform, all but it, each of the most frequent
 * languages. Prints one JSON line, the least recall first. `lake-run.js search` has times.
 * usage: node lake-filters.js <lake> <folder of `lake-run.js questions`> [one question of so many, default 16]
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { built } from "../built.js";

const { openLake } = /** @type {typeof import("../../src/index.js")} */ (await built("index.js"));

const WIDTH = 1536;
const [TOP, DEPTH, ASKED] = [10, 100, 300];
/** Least share of the records that a filter has to leave, and languages that are filters. */
const [LEAST, LANGUAGES] = [0.01, 8];
const [lake, folder, every = "16"] = process.argv.slice(2);

/** @returns {Promise<{ text: string, vector: Float32Array }[]>} */
async function readQuestions() {
  const asked = JSON.parse(await readFile(join(folder, "lake-questions.json"), "utf8"));
  const bytes = await readFile(join(folder, "lake-questions.f32"));
  const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return asked
    .map(({ text }, i) => ({ text, vector: vectors.subarray(i * WIDTH, (i + 1) * WIDTH) }))
    .filter((_, i) => i % Number(every) === 0);
}

/** Filters by platform and language, with their names. */
async function filtersOf(client) {
  const { corpus } = client.lake;
  const slugs = corpus.platforms().map(({ slug }) => slug);
  const present = slugs.filter((slug) => corpus.match({ platforms: [slug] }).count > 0);
  const rows = await client.sql(
    `SELECT lang FROM records GROUP BY lang ORDER BY count(*) DESC, lang LIMIT ${LANGUAGES}`,
  );
  return [
    ...present.flatMap((slug) => [
      { name: slug, filter: { platforms: [slug] } },
      { name: `all but ${slug}`, filter: { platforms: present.filter((other) => other !== slug) } },
    ]),
    ...rows.map(({ lang }) => ({ name: String(lang), filter: { langs: [String(lang)] } })),
  ];
}

const share = (exact, found) => {
  const near = new Set(found);
  return exact.length === 0 ? 1 : exact.filter((row) => near.has(row)).length / exact.length;
};
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function measure() {
  const questions = await readQuestions();
  const client = await openLake(lake, { limits: "off", account: "memory" });
  const { corpus, index } = client.lake;
  const measured = [];
  for (const { name, filter } of [{ name: "all", filter: {} }, ...(await filtersOf(client))]) {
    const rows = corpus.match(filter);
    if (rows.count < rows.size * LEAST) continue;
    const found = [];
    for (const { text, vector } of questions) {
      const exact = await index.nearest(vector, rows, { limit: DEPTH, exact: true });
      const near = (await index.nearest(vector, rows, { limit: ASKED, query: text })).slice(0, DEPTH);
      found.push([share(exact.slice(0, TOP), near.slice(0, TOP)), share(exact, near)]);
    }
    measured.push({
      name,
      records: rows.count,
      "recall@10": mean(found.map(([ten]) => ten)),
      "recall@100": mean(found.map(([, hundred]) => hundred)),
    });
  }
  await client.close();
  measured.sort((a, b) => a["recall@100"] - b["recall@100"]);
  return { records: corpus.rowCount, questions: questions.length, measured };
}

console.log(JSON.stringify(await measure()));
