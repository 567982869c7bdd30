import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TermDictionary, type TermEntry } from "../../src/search/keyword/terms/term-dictionary.js";
import { TermDictionaryBuilder } from "../../src/search/keyword/terms/term-dictionary-builder.js";
import { TermNames } from "../../src/search/keyword/terms/term-names.js";
import { ANY_CHARACTER } from "../support/any-character.js";
import { runs } from "../support/campaign.js";

const integer = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const size = fc.oneof(fc.constant(0), fc.nat(300), fc.nat(2 ** 31 - 1));
const entryArbitrary = fc.record({
  documents: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  maxFrequency: integer,
  minLength: integer,
  sizes: fc.tuple(size, size),
  languages: fc.array(fc.tuple(fc.nat(300), fc.nat(10_000)), { minLength: 1, maxLength: 4 }),
  single: fc.boolean(),
});
const termArbitrary = fc.oneof(
  fc.string(),
  fc.string({ unit: ANY_CHARACTER }),
  fc.constantFrom("手机", "é", ""),
);
/** Terms, with what their entries say. */
const termsArbitrary = fc.dictionary(termArbitrary, entryArbitrary, { maxKeys: 60 });

/** Builds a dictionary, whose first postings start where a small file would end. */
function built(given: Record<string, typeof entryArbitrary extends fc.Arbitrary<infer T> ? T : never>) {
  const terms = Object.keys(given);
  const names = new TermNames(terms, terms.length);
  const builder = new TermDictionaryBuilder(names);
  const entries = new Map<string, TermEntry>();
  let postings = 2 ** 33;
  let positions = 5;
  for (const number of names.order()) {
    const { sizes, languages, single, ...numbers } = given[terms[number]!]!;
    const entry: TermEntry = {
      ...numbers,
      postings: { offset: postings, bytes: sizes[0] },
      positions: { offset: positions, bytes: sizes[1] },
      languages: single ? [[languages[0]![0], numbers.documents]] : languages,
    };
    builder.add(number, entry);
    entries.set(terms[number]!, entry);
    postings += sizes[0];
    positions += sizes[1];
  }
  return { bytes: builder.build(), entries };
}

describe("a dictionary of terms", () => {
  it("finds every term with what was said of it, and no other", () => {
    fc.assert(
      fc.property(termsArbitrary, termArbitrary, (given, other) => {
        const { bytes, entries } = built(given);
        const dictionary = new TermDictionary(bytes);
        for (const [term, entry] of entries) expect(dictionary.find(term)).toEqual(entry);
        if (!entries.has(other)) expect(dictionary.find(other)).toBeUndefined();
        expect([...dictionary.all()]).toEqual([...entries]);
      }),
      runs(100),
    );
  });

  it("of damaged bytes says that they are, or gives entries of a bounded size", () => {
    fc.assert(
      fc.property(
        termsArbitrary,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.option(fc.nat()),
        (given, flips, cut) => {
          const { bytes, entries } = built(given);
          for (const [at, value] of flips) bytes[at % bytes.length] = value;
          const whole = cut === null ? bytes : bytes.slice(0, cut % bytes.length);
          try {
            const dictionary = new TermDictionary(whole);
            for (const term of entries.keys())
              expect(dictionary.find(term)?.languages.length ?? 0).toBeLessThanOrEqual(whole.length);
            expect([...dictionary.all()].length).toBeLessThanOrEqual(whole.length);
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        },
      ),
      runs(200),
    );
  });

  it("takes terms in its own order only", () => {
    const names = new TermNames(["a", "b"], 2);
    const builder = new TermDictionaryBuilder(names);
    const entry = { documents: 1, maxFrequency: 2, minLength: 2, languages: [[0, 1]] } as const;
    const at = (offset: number) => ({ offset, bytes: 3 });
    builder.add(names.order()[0]!, { ...entry, postings: at(0), positions: at(0) });
    expect(() => builder.add(names.order()[1]!, { ...entry, postings: at(4), positions: at(3) })).toThrow(
      RangeError,
    );
  });
});
