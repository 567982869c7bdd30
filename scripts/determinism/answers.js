/**
 * Builds indexes of the same documents in several ways and prints, as JSON lines, a hash of a thousand answers of each.
 * usage: node answers.js <documents> <queries>
 */
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documents, queries } from "../bench/texts.js";
import { built } from "../built.js";

const { buildIndex } = /** @type {typeof import("../../src/search/build-index.js")} */ (
  await built("search/build-index.js")
);
const { openIndex } = /** @type {typeof import("../../src/search/open-index.js")} */ (
  await built("search/open-index.js")
);

const [size, asked] = process.argv.slice(2).map(Number);
const LATER = Math.floor(size / 10);
const LIMIT = 20;
const all = [...documents(size)].map(({ id, lang, text }) => ({ id, lang, title: text.slice(0, 80), text }));
const questions = queries(asked);

const source = (from, to) =>
  async function* () {
    for (let at = from; at < to; at += 500) yield all.slice(at, Math.min(to, at + 500));
  };

function everyRow(size) {
  const rows = Uint32Array.from({ length: size }, (_, row) => row);
  const bits = new Uint32Array(Math.ceil(size / 32)).fill(0xffff_ffff);
  return { size, count: size, has: (row) => row < size, rows: () => rows, bits };
}

/** SHA-256 over ids, scores (all 64 bits) and vectors of the answers, in all three ways of ranking. */
async function hashAnswers(dir, options = {}) {
  const index = await openIndex(dir, options);
  const candidates = everyRow(index.documentCount);
  const hash = createHash("sha256");
  try {
    for (const question of questions) {
      for (const mode of /** @type {const} */ (["keyword", "semantic", "hybrid"])) {
        const { rows, scores } = await index.rank(question, candidates, { limit: LIMIT, mode });
        hash.update(rows.map((row) => all[row].id).join("\n"));
        hash.update(new Uint8Array(Float64Array.from(scores).buffer));
        for (const vector of await index.vectors(rows.slice(0, 3)))
          hash.update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
      }
    }
  } finally {
    await index.close();
  }
  return hash.digest("hex");
}

async function main() {
  const work = await mkdtemp(join(tmpdir(), "mirrorlake-determinism-"));
  const at = (name) => join(work, name);
  const say = (group, variant, hash) => process.stdout.write(`${JSON.stringify({ group, variant, hash })}\n`);
  try {
    await buildIndex(at("one"), source(0, size), { threads: 1 });
    say("answers", "built with 1 thread", await hashAnswers(at("one")));
    await buildIndex(at("two"), source(0, size), { threads: 2 });
    say("answers", "built with 2 threads", await hashAnswers(at("two")));
    say("answers", "asked again", await hashAnswers(at("two")));
    await buildIndex(at("again"), source(0, size), { threads: 2 });
    say("answers", "rebuilt", await hashAnswers(at("again")));
    await buildIndex(at("base"), source(0, size - LATER), { threads: 2 });
    await buildIndex(at("added"), source(size - LATER, size), { threads: 2, base: { dir: at("base") } });
    await buildIndex(at("whole"), source(0, size), { threads: 2, fit: { dir: at("base") } });
    say("exact answers", "a tenth added later", await hashAnswers(at("added"), { exact: true }));
    say("exact answers", "built at once, same fit", await hashAnswers(at("whole"), { exact: true }));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
