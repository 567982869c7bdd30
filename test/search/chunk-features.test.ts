import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Term } from "../../src/search/analysis/term.js";
import { neighbourFeature, prefixFeature, termFeature } from "../../src/search/embed/features.js";
import { ChunkFeatures } from "../../src/search/fit/chunk-features.js";
import { countPart, noCounts } from "../../src/search/fit/count-part.js";
import { FeatureLog, forEachChunk, readDocuments } from "../../src/search/fit/feature-log.js";
import { runs } from "../support/campaign.js";

const WORDS = ["wireless", "headphones", "a", "the", "wirelessly", "sea", "noise", "cancelling"];
const terms = {
  at: (number: number): Term => ({
    text: WORDS[number]!,
    kind: "word",
    surface: WORDS[number]!,
    key: number,
  }),
};
/** Documents of words, each a language. */
const documents = fc.array(
  fc.record({ language: fc.nat(2), words: fc.array(fc.nat(WORDS.length - 1), { maxLength: 12 }) }),
  { maxLength: 6 },
);

function plainFeatures(words: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  const add = (feature: number) => counts.set(feature, (counts.get(feature) ?? 0) + 1);
  words.forEach((word, i) => {
    add(termFeature(WORDS[word]!));
    const prefix = prefixFeature(WORDS[word]!);
    if (prefix !== undefined) add(prefix);
    if (i > 0) add(neighbourFeature(termFeature(WORDS[words[i - 1]!]!), termFeature(WORDS[word]!)));
  });
  return counts;
}

function read(features: ChunkFeatures, given: readonly { language: number; words: readonly number[] }[]) {
  for (const { language, words } of given) {
    features.startField();
    for (const [position, word] of words.entries()) features.term(word, position, terms);
    features.endDocument(language);
  }
  return features.take();
}

describe("the features of a chunk", () => {
  it("are those of its documents, ascending, counted", () => {
    const features = new ChunkFeatures();
    fc.assert(
      fc.property(documents, (given) => {
        const chunk = read(features, given);
        const plain = given.map(({ words }) => plainFeatures(words));
        const all = [...new Set(plain.flatMap((counts) => [...counts.keys()]))].sort((a, b) => a - b);
        expect([...chunk.features]).toEqual(all);
        expect([...chunk.found]).toEqual(all.map((f) => plain.filter((counts) => counts.has(f)).length));
        const logged = [...readDocuments(chunk)];
        expect(logged.map(({ language }) => language)).toEqual(given.map(({ language }) => language));
        logged.forEach(({ places, counts }, i) => {
          expect([...places]).toEqual([...places].sort((a, b) => a - b));
          expect(new Map([...places].map((place, k) => [all[place], counts[k]]))).toEqual(plain[i]);
        });
      }),
    );
  });

  it("come back from the log, and are counted for a vocabulary", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mirrorlake-features-"));
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(documents, { maxLength: 4 }), async (chunks) => {
          const log = new FeatureLog(join(folder, "log"));
          const maker = new ChunkFeatures();
          const made = chunks.map((given) => read(maker, given));
          for (const [i, chunk] of made.entries()) log.append(chunk, chunks[i]!.length);
          const back: typeof made = [];
          for (const part of log.parts()) await forEachChunk(part, (chunk) => back.push(chunk));
          expect(back.map(({ features, found, log }) => [[...features], [...found], [...log]])).toEqual(
            made.map(({ features, found, log }) => [[...features], [...found], [...log]]),
          );
          const vocabulary = Uint32Array.from([termFeature("the"), termFeature("sea"), 7]).sort();
          const collections = Float64Array.of(1, 10, 100);
          const plain = chunks.flat();
          const total = noCounts(vocabulary.length);
          for (const part of log.parts()) {
            const counts = await countPart({ part, features: vocabulary, collections });
            counts.documents.forEach((found, row) => {
              total.documents[row]! += found;
              total.collections[row]! += counts.collections[row]!;
            });
          }
          vocabulary.forEach((feature, row) => {
            const holders = plain.filter(({ words }) => plainFeatures(words).has(feature));
            expect(total.documents[row]).toBe(holders.length);
            expect(total.collections[row]).toBe(
              holders.reduce((sum, { language }) => sum + collections[language]!, 0),
            );
          });
          log.close();
        }),
        runs(40),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
