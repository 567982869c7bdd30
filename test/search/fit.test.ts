import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Vocabulary } from "../../src/search/embed/vocabulary.js";
import type { FitCorpus } from "../../src/search/fit/fit-corpus.js";
import { fitInSlabs } from "../../src/search/fit/fit-in-slabs.js";
import { fitWhole } from "../../src/search/fit/fit-whole.js";
import { collectOccurrences } from "../../src/search/fit/occurrences.js";

const DIMS = 1536;
const DOCUMENTS = 50;
const FEATURES = 90;
let folder: string;
let corpus: FitCorpus;

let state = 11;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-fit-"));
  const vectors = join(folder, "documents");
  await writeFile(
    vectors,
    Int8Array.from({ length: DOCUMENTS * DIMS }, () => random() * 255 - 127),
  );
  const words: number[] = [];
  const found = new Uint32Array(FEATURES);
  const weightOf = new Float32Array(1);
  for (let document = 0; document < DOCUMENTS; document += 1) {
    // Feature 7 is in no document: its vector is zero.
    const rows = Array.from({ length: FEATURES }, (_, row) => row).filter(
      (row) => row !== 7 && random() < 0.2,
    );
    words.push(rows.length, ...rows);
    for (const row of rows) {
      found[row]! += 1;
      weightOf[0] = random() * 5;
      words.push(new Uint32Array(weightOf.buffer)[0]!);
    }
  }
  const path = join(folder, "weights");
  await writeFile(path, new Uint8Array(Uint32Array.from(words).buffer));
  const logs = [{ path, length: words.length, documents: DOCUMENTS }];
  const scales = Float32Array.from({ length: DOCUMENTS }, () => 0.5 + random());
  const occurrences = [];
  for (const [first, end] of [
    [0, 60],
    [60, FEATURES],
  ] as const) {
    const files = { documents: join(folder, `d${first}`), weights: join(folder, `w${first}`) };
    occurrences.push(
      await collectOccurrences({ logs, first, found: found.slice(first, end), scales, files }),
    );
  }
  corpus = { vectors, documents: DOCUMENTS, occurrences };
});
afterAll(() => rm(folder, { recursive: true }));

describe("fitting", () => {
  it("gives the same vectors whole and some dimensions at a time", async () => {
    const fitted = async (how: typeof fitWhole | typeof fitInSlabs, name: string) => {
      const vocabulary = new Vocabulary(Uint32Array.from({ length: FEATURES }, (_, i) => i + 1));
      const out = join(folder, name);
      const told: number[] = [];
      await how(corpus, vocabulary, out, {
        threads: 0,
        onProgress: (dimensions) => told.push(dimensions),
        temporaryFile: (file) => join(folder, file),
      });
      expect(told.at(-1)).toBe(DIMS);
      return { bytes: await readFile(out), scales: vocabulary.scales };
    };
    const whole = await fitted(fitWhole, "whole");
    const slabs = await fitted(fitInSlabs, "slabs");
    expect(whole.bytes.length).toBe(FEATURES * DIMS);
    expect(slabs.bytes.equals(whole.bytes)).toBe(true);
    expect(slabs.scales).toEqual(whole.scales);
    expect(whole.scales[7]).toBe(0);
    expect(whole.bytes.subarray(7 * DIMS, 8 * DIMS).every((byte) => byte === 0)).toBe(true);
    expect(Math.max(...new Int8Array(whole.bytes.subarray(0, DIMS)).map(Math.abs))).toBe(127);
  });
});
