import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FeatureTable } from "../../src/search/embed/feature-table.js";
import { Vocabulary } from "../../src/search/embed/vocabulary.js";
import type { FitCorpus } from "../../src/search/fit/fit-corpus.js";
import { fitInSlabs } from "../../src/search/fit/fit-in-slabs.js";
import { joinFeatures } from "../../src/search/fit/join-features.js";
import { collectOccurrences, featuresIn, forEachFeature } from "../../src/search/fit/occurrences.js";

const DIMS = 1536;
const DOCUMENTS = 50;
const FEATURES = 2500; // more than a batch has
let folder: string;
let corpus: FitCorpus;
let documentVectors: Int8Array;
const found = new Uint32Array(FEATURES);

let state = 11;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-fit-"));
  const vectors = join(folder, "documents");
  documentVectors = Int8Array.from({ length: DOCUMENTS * DIMS }, () => random() * 255 - 127);
  await writeFile(vectors, documentVectors);
  const words: number[] = [];
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
    [0, 2100],
    [2100, FEATURES],
  ] as const) {
    const files = { documents: join(folder, `d${first}`), weights: join(folder, `w${first}`) };
    occurrences.push(
      await collectOccurrences({ logs, first, found: found.slice(first, end), scales, files }),
    );
  }
  corpus = { vectors, documents: DOCUMENTS, occurrences };
});
afterAll(() => rm(folder, { recursive: true }));

/** The model's vectors and what the vocabulary says of them, the slabs that were left in files, and the progress that was reported. */
async function runFit(name: string, slabMemory: number, threads = 0, fitted = fitInSlabs) {
  const vocabulary = new Vocabulary(
    Uint32Array.from({ length: FEATURES }, (_, i) => i + 1),
    found,
  );
  const out = join(folder, name);
  const slabs: string[] = [];
  const progress: number[] = [];
  const parts = await fitted(corpus, found, {
    threads,
    slabMemory,
    onProgress: (dimensions) => progress.push(dimensions),
    temporaryFile: (file) => {
      if (file.startsWith("slab")) slabs.push(file);
      return join(folder, `${name}-${file}`);
    },
  });
  await joinFeatures(parts, vocabulary, out);
  const { scales, vectors } = vocabulary;
  return { bytes: await readFile(out), scales, vectors, slabs, progress };
}

const ONE_SLAB = DOCUMENTS * DIMS;
/** Bytes of memory, and the slabs that fit into as much, in order of their width. */
const SLABS = [
  [ONE_SLAB - 1, 2],
  [DOCUMENTS * 640, 3],
  [DOCUMENTS * 64, 24],
  [1, 24],
] as const;

describe("fitting", () => {
  it("sums the documents of each feature, by weight", async () => {
    const { scales, vectors, slabs, progress } = await runFit("sums", ONE_SLAB);
    expect(slabs).toEqual([]);
    expect(progress).toEqual([Math.floor((DIMS * 2100) / FEATURES), DIMS]);
    const table = FeatureTable.open(join(folder, "sums"), Math.max(...vectors) + 1);
    const vector = new Int8Array(DIMS);
    let feature = 0;
    for (const part of corpus.occurrences) {
      forEachFeature(part, 100, (documents, weights) => {
        if (feature % 7 !== 0) {
          feature += 1;
          return;
        }
        const sums = Array.from({ length: DIMS }, (_, k) => {
          const block = (k - (k % 64)) * DOCUMENTS + (k % 64);
          return documents.reduce((sum, d, i) => sum + weights[i]! * documentVectors[block + d * 64]!, 0);
        });
        const largest = Math.max(...sums.map(Math.abs));
        table.read(vectors[feature]!, 1, vector);
        expect(scales[feature]! * Math.hypot(...vector)).toBeCloseTo(largest === 0 ? 0 : 0.3, 3);
        const unit = largest / 127;
        const turned = sums.filter(
          (sum, k) => Math.abs(sum) > 0.6 * unit && Math.sign(vector[k]!) !== Math.sign(sum),
        );
        expect(turned).toEqual([]);
        const sizes = (code: number) => sums.filter((_, k) => Math.abs(vector[k]!) === code).map(Math.abs);
        // What has the outer of two levels is larger, but for a rounding.
        if (largest > 0) expect(Math.min(...sizes(7))).toBeGreaterThan(Math.max(...sizes(2)) - 1.2 * unit);
        feature += 1;
      });
    }
    expect(feature).toBe(featuresIn(corpus.occurrences));
    expect(scales[7]).toBe(0);
    table.read(vectors[7]!, 1, vector);
    expect(vector.every((number) => number === 0)).toBe(true);
    table.close();
  });

  it("gives the same bytes in any number of slabs", { tags: "slow" }, async () => {
    const whole = await runFit("whole", ONE_SLAB);
    for (const [memory, count] of SLABS) {
      const { bytes, scales, vectors, slabs, progress } = await runFit(`slabs-of-${memory}`, memory);
      expect(slabs.length).toBe(count);
      expect(progress.length).toBe(count);
      expect(progress.at(-1)).toBe(DIMS);
      expect(bytes.equals(whole.bytes)).toBe(true);
      expect(scales).toEqual(whole.scales);
      expect(vectors).toEqual(whole.vectors);
    }
  });

  it("gives the same bytes in worker threads, in one slab and in several", { tags: "slow" }, async () => {
    // Worker threads run built modules; `npm test` builds first.
    const built = (await import(
      new URL("../../build/search/fit/fit-in-slabs.js", import.meta.url).href
    )) as typeof import("../../src/search/fit/fit-in-slabs.js");
    const alone = await runFit("alone", ONE_SLAB);
    for (const threads of [1, 2]) {
      for (const memory of [ONE_SLAB, DOCUMENTS * 640]) {
        const { bytes, scales, vectors } = await runFit(
          `threads-${threads}-${memory}`,
          memory,
          threads,
          built.fitInSlabs,
        );
        expect(bytes.equals(alone.bytes)).toBe(true);
        expect(scales).toEqual(alone.scales);
        expect(vectors).toEqual(alone.vectors);
      }
    }
  });

  it("stops between slabs, and while they are combined, when it is aborted", async () => {
    for (const stop of [DIMS / 2, DIMS]) {
      const controller = new AbortController();
      const progress: number[] = [];
      const fitted = fitInSlabs(corpus, found, {
        threads: 0,
        slabMemory: ONE_SLAB - 1,
        signal: controller.signal,
        onProgress: (dimensions) => {
          progress.push(dimensions);
          if (dimensions === stop) controller.abort(new Error("enough"));
        },
        temporaryFile: (file) => join(folder, `aborted-${file}`),
      });
      await expect(fitted).rejects.toThrow("enough");
      expect(progress.at(-1)).toBe(stop);
    }
  });
});
