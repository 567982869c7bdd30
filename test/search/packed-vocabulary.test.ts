import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PackedVocabulary, packVocabulary } from "../../src/search/embed/packed-vocabulary.js";
import { Vocabulary } from "../../src/search/embed/vocabulary.js";
import { runs } from "../support/campaign.js";

const featureArbitrary = fc.record({
  documents: fc.oneof(fc.nat(20), fc.nat(2 ** 31)),
  idf: fc.oneof(fc.constantFrom(0.01, 1.5, 7), fc.float({ min: Math.fround(0.001), noNaN: true })),
  scale: fc.float({ noNaN: true }),
  /** How far back the vector came first; 0 for a new one. */
  back: fc.oneof(fc.constant(0), fc.nat(5)),
});
const vocabularyArbitrary = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 2 ** 32 - 1 }), featureArbitrary), { maxLength: 150 })
  .map((given) => {
    const known = [...new Map(given)].sort(([a], [b]) => a - b);
    let fresh = 0;
    return Vocabulary.of(
      known.map(([feature, { documents, idf, scale, back }], row) => {
        const vector = back === 0 || back > fresh ? fresh++ : fresh - back;
        return { row, feature, documents, idf, scale, vector };
      }),
    );
  });
const copy = (bytes: Uint8Array) => new Uint8Array(bytes);

describe("a packed vocabulary", () => {
  it("says of every feature what it said before, and knows no other", () => {
    fc.assert(
      fc.property(vocabularyArbitrary, fc.integer({ min: 1, max: 2 ** 32 - 1 }), (vocabulary, other) => {
        const packed = new PackedVocabulary(copy(packVocabulary(vocabulary)));
        expect([packed.size, packed.vectorCount]).toEqual([vocabulary.size, vocabulary.vectorCount]);
        for (const feature of [...vocabulary.features, other, 1, 2 ** 32 - 1])
          expect(packed.find(feature)).toEqual(vocabulary.find(feature));
        expect(packed.unpacked()).toEqual(vocabulary);
      }),
      runs(100),
    );
  });

  it("of damaged bytes says that they are, or names vectors that there are", () => {
    fc.assert(
      fc.property(
        vocabularyArbitrary,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat()),
        (vocabulary, flips, cut) => {
          const bytes = copy(packVocabulary(vocabulary));
          for (const [at, value] of flips) bytes[at % bytes.length] = value;
          try {
            const packed = new PackedVocabulary(cut === null ? bytes : bytes.slice(0, cut % bytes.length));
            for (const feature of vocabulary.features)
              expect(packed.find(feature)?.vector ?? 0).toBeLessThanOrEqual(packed.vectorCount);
            expect(packed.unpacked().size).toBe(packed.size);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        },
      ),
      runs(200),
    );
  });

  it("is made only of vectors that are numbered as they come", () => {
    const known = { documents: 1, idf: 1, scale: 1 };
    const of = (vector: number) => Vocabulary.of([{ row: 0, feature: 4, ...known, vector }]);
    expect(() => packVocabulary(of(1))).toThrow(RangeError);
    expect(new PackedVocabulary(copy(packVocabulary(of(0)))).vectorCount).toBe(1);
  });
});
