import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildIndex } from "../../src/search/build-index.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { LISTED } from "../../src/search/embed/dimension-list.js";
import { FeatureTable } from "../../src/search/embed/feature-table.js";
import { FeatureTableWriter, fineFrom } from "../../src/search/embed/feature-table-writer.js";
import { MODEL_FILES } from "../../src/search/embed/model-manifest.js";
import { PackedVocabulary } from "../../src/search/embed/packed-vocabulary.js";
import { COARSE_BYTES, FEATURE_BYTES, LIST, readFeature } from "../../src/search/embed/stored-feature.js";
import { FeatureShrinker } from "../../src/search/fit/feature-shrinker.js";
import { EMBEDDER } from "../../src/search/index-manifest.js";
import { runs } from "../support/campaign.js";

const FULL = 1536;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mirrorlake-features-"));
});
afterAll(() => rm(folder, { recursive: true }));

const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** Bytes that are spread evenly, or are small but for a few. */
function feature(seed: number, large: number): Int8Array {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const bytes = Int8Array.from({ length: FULL }, () => Math.round(next() * (large > 0 ? 6 : 200)));
  for (let i = 0; i < large; i += 1) bytes[(i * 97) % FULL] = next() < 0 ? -120 : 120;
  return bytes;
}

describe("a table of feature vectors", () => {
  it("has the vector of features of the same documents once", async () => {
    const texts = ["amber basalt cobalt", "dolomite emerald feldspar", "granite halite jasper"];
    await buildIndex(join(folder, "index"), async function* () {
      yield texts.map((text, i) => ({ id: `web_gnw_${i}`, lang: "en", text }));
    });
    const model = join(folder, "index", EMBEDDER);
    const vocabulary = (await PackedVocabulary.read(join(model, MODEL_FILES.vocabulary))).unpacked();
    const [few, all] = [vocabulary.vectorCount, vocabulary.size];
    expect(vocabulary.documents.every((documents) => documents === 1)).toBe(true);
    expect(few).toBeLessThan(all / 2);
    expect((await stat(join(model, MODEL_FILES.vectors))).size).toBe(
      few * (FEATURE_BYTES + 2) + Math.ceil(few / 64) * 4,
    );
  });

  it("keeps their directions and lengths, those of many documents in 2 bits per dimension, others in 1", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(0, 8, 80, 280), fc.boolean(), async (seed, large, fine) => {
        const features = [
          feature(seed, large),
          new Int8Array(FULL),
          feature(seed + 1, 0),
          feature(seed, large),
        ];
        const writer = new FeatureTableWriter({ vectors: features.length, bytes: 1 });
        const shrinker = await FeatureShrinker.create();
        const added = features.map((vector) => {
          shrinker.bytes.set(vector);
          const { stored, scale } = shrinker.shrink({ scale: 0.5, fine });
          return { vector: writer.add(stored), scale };
        });
        expect(added.map(({ vector }) => vector)).toEqual([0, 1, 2, 0]);
        const path = join(folder, "vectors.bits");
        await writeFile(path, [writer.vectors, writer.end()]);
        // Of zeros and lists only what there is.
        const { size } = await stat(path);
        if (fine) expect(size).toBe(2 * FEATURE_BYTES + 1 + 6 + 4);
        else expect(size).toBeLessThanOrEqual(2 * COARSE_BYTES + 1 + 6 + 4);
        const table = FeatureTable.open(path, 3);
        const all = new Int8Array(3 * FULL);
        table.read(0, 3, all);
        features.slice(0, 3).forEach((vector, i) => {
          const read = all.subarray(i * FULL, (i + 1) * FULL);
          const alone = new Int8Array(FULL);
          table.read(i, 1, alone);
          expect(alone).toEqual(new Int8Array(read));
          if (i === 1) {
            expect(added[i]!.scale).toBe(0);
            expect(alone).toEqual(vector);
            return;
          }
          const [length, before] = [Math.sqrt(dot(read, read)), Math.sqrt(dot(vector, vector))];
          expect((length * added[i]!.scale) / (before * 0.5)).toBeCloseTo(1, 5);
          const few = i === 0 && large > 0;
          expect(dot(read, vector) / length / before).toBeGreaterThan(fine || few ? 0.9 : 0.78);
        });
        table.close();
      }),
      runs(10),
    );
  });

  it("keeps finely those of the most documents, and none of a tie that is too large", () => {
    const { fineFeatures } = SEARCH_DEFAULTS.embed;
    const documents = new Uint32Array(fineFeatures + 1).fill(2);
    documents[0] = 1;
    expect(fineFrom(documents)).toBe(2);
    expect(fineFrom(documents.fill(2))).toBe(3);
    expect(fineFrom(documents.subarray(1))).toBe(0);
  });

  it("keeps the few large numbers of one as a list, without what fills it up, and reads the same from it", async () => {
    const shrinker = await FeatureShrinker.create();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(FULL - 1), fc.boolean()), { minLength: 1, maxLength: LISTED }),
        (large) => {
          shrinker.bytes.fill(0);
          for (const [at, positive] of large) shrinker.bytes[at] = positive ? 9 : -9;
          const { stored } = shrinker.shrink({ scale: 1, fine: false });
          expect(stored[0]).toBe(LIST);
          expect(stored.length).toBeLessThanOrEqual(COARSE_BYTES);
          const read = new Int8Array(FULL).fill(5);
          readFeature(stored, read);
          expect(read).toEqual(shrinker.bytes.map(Math.sign));
        },
      ),
      runs(50),
    );
  });

  it("finds the nearest codes of any vector, and of its extremes", async () => {
    const shrinker = await FeatureShrinker.create();
    const value = fc.oneof(fc.integer({ min: -128, max: 127 }), fc.constantFrom(-128, -127, -1, 0, 1, 127));
    fc.assert(
      fc.property(fc.array(value, { minLength: FULL, maxLength: FULL }), fc.boolean(), (values, fine) => {
        shrinker.bytes.set(values);
        const { stored, scale } = shrinker.shrink({ scale: 1, fine });
        const read = new Int8Array(FULL);
        readFeature(stored, read);
        const numbers = Int8Array.from(values);
        expect(Math.sqrt(dot(read, read)) * scale).toBeCloseTo(Math.sqrt(dot(numbers, numbers)), 2);
        // Larger magnitudes have larger codes, and every code its number's sign.
        const largest = new Map<number, number>();
        read.forEach((code, i) => {
          const size = Math.abs(numbers[i]!);
          if (code !== 0) expect(Math.sign(code)).toBe(numbers[i]! < 0 ? -1 : 1);
          largest.set(Math.abs(code), Math.max(size, largest.get(Math.abs(code)) ?? 0));
        });
        const [outer] = [...largest.keys()].sort((a, b) => b - a);
        read.forEach((code, i) => {
          for (const [other, most] of largest)
            if (Math.abs(code) === outer && other < outer!)
              expect(Math.abs(numbers[i]!)).toBeGreaterThan(most);
        });
      }),
      runs(20),
    );
  });

  it("is refused where it has not the vectors of all features, or one is stored in no known way", async () => {
    const path = join(folder, "torn.bits");
    await writeFile(path, new Uint8Array(FEATURE_BYTES + 3));
    expect(() => FeatureTable.open(path, 2)).toThrow(RangeError);
    await writeFile(path, Uint8Array.of(9, 0, 0, 0, 0, 1, 0));
    const table = FeatureTable.open(path, 1);
    expect(() => table.read(0, 1, new Int8Array(FULL))).toThrow("unknown way: 9");
    table.close();
  });
});
