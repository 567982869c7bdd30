import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildIndex } from "../../src/search/build-index.js";
import { FEATURE_BYTES, FeatureTable, shrinkFeature } from "../../src/search/embed/feature-table.js";
import { MODEL_FILES } from "../../src/search/embed/model-manifest.js";
import { Vocabulary } from "../../src/search/embed/vocabulary.js";
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
    const vocabulary = await Vocabulary.read(join(model, MODEL_FILES.vocabulary));
    const [few, all] = [vocabulary.vectorCount, vocabulary.size];
    expect(vocabulary.documents.every((documents) => documents === 1)).toBe(true);
    expect(few).toBeLessThan(all / 2);
    expect((await stat(join(model, MODEL_FILES.vectors))).size).toBe(few * FEATURE_BYTES);
  });

  it("keeps their directions and lengths in 2 bits per dimension", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(0, 8, 80), async (seed, large) => {
        const features = [feature(seed, large), new Int8Array(FULL), feature(seed + 1, 0)];
        const bytes = new Uint8Array(features.length * FEATURE_BYTES);
        const scales = features.map((vector, i) =>
          shrinkFeature(vector, 0.5, bytes.subarray(i * FEATURE_BYTES, (i + 1) * FEATURE_BYTES)),
        );
        const path = join(folder, "vectors.i2");
        await writeFile(path, bytes);
        const table = FeatureTable.open(path, features.length);
        const all = new Int8Array(features.length * FULL);
        table.read(0, features.length, all);
        features.forEach((vector, i) => {
          const read = all.subarray(i * FULL, (i + 1) * FULL);
          const alone = new Int8Array(FULL);
          table.read(i, 1, alone);
          expect(alone).toEqual(new Int8Array(read));
          if (i === 1) {
            expect(scales[i]).toBe(0);
            return;
          }
          const [length, before] = [Math.sqrt(dot(read, read)), Math.sqrt(dot(vector, vector))];
          expect((length * scales[i]!) / (before * 0.5)).toBeCloseTo(1, 5);
          expect(dot(read, vector) / length / before).toBeGreaterThan(0.9);
        });
        table.close();
      }),
      runs(10),
    );
  });

  it("is refused where it has not the vectors of all features", async () => {
    const path = join(folder, "torn.i2");
    await writeFile(path, new Uint8Array(FEATURE_BYTES + 3));
    expect(() => FeatureTable.open(path, 2)).toThrow(RangeError);
  });
});
