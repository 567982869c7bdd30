import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildIndex } from "../../src/search/build-index.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { FILL, LIST_BYTES, LISTED, readList, writeList } from "../../src/search/embed/dimension-list.js";
import { FeatureTable } from "../../src/search/embed/feature-table.js";
import { FeatureTableWriter, fineFrom } from "../../src/search/embed/feature-table-writer.js";
import { MODEL_FILES } from "../../src/search/embed/model-manifest.js";
import { PackedVocabulary } from "../../src/search/embed/packed-vocabulary.js";
import { COARSE_BYTES, FEATURE_BYTES, FeatureShrinker } from "../../src/search/embed/shrink-feature.js";
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
        const writer = new FeatureTableWriter();
        const shrinker = new FeatureShrinker();
        const place = new Uint8Array(FEATURE_BYTES);
        const added = features.map((vector) => {
          const { length, scale } = shrinker.shrink(vector, { scale: 0.5, fine }, place);
          return { vector: writer.add(place.subarray(0, length)), scale };
        });
        expect(added.map(({ vector }) => vector)).toEqual([0, 1, 2, 0]);
        const path = join(folder, "vectors.bits");
        await writeFile(path, [writer.take(), writer.end()]);
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

  it("keeps a list without what fills it up, and reads the same from it", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(FULL - 1), fc.boolean()), { maxLength: LISTED }), (large) => {
        const numbers = new Int8Array(FULL);
        for (const [at, positive] of large) numbers[at] = positive ? 9 : -9;
        const list = new Uint8Array(LIST_BYTES);
        writeList(numbers, 9, list);
        let used = list.length;
        while (used > 0 && list[used - 1] === FILL) used -= 1;
        for (const part of [list, list.subarray(0, used)]) {
          const read = new Int8Array(FULL).fill(5);
          readList(part, read);
          expect(read).toEqual(numbers.map(Math.sign));
        }
      }),
      runs(50),
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
