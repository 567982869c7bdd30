import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { type QueryTerm, queryTerms } from "../../src/search/analysis/query-terms.js";
import { QueryWords } from "../../src/search/analysis/query-words.js";
import { Stemmers } from "../../src/search/analysis/stemming.js";
import { WordForms } from "../../src/search/analysis/word-forms.js";
import { SEARCH_DEFAULTS } from "../../src/search/defaults.js";
import { TermMemory } from "../../src/search/keyword/ranking/term-memory.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";

/** Words that are others in some of the languages, with accents and without, of several scripts; a Vietnamese letter; an acronym. */
const WORDS =
  "program programme programs theme the them für fur furs große grosse evlerde evler WHO who قلم كتاب हिन्दी हिंदी नदी đồng 散歩 犬 iphone15".split(
    " ",
  );
const LANGUAGES = ["ar", "de", "en", "hi", "ja", "tr", "vi"];
const queries = fc.array(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }), {
  minLength: 2,
  maxLength: 8,
});

describe("words that are remembered", () => {
  const stemmers = new Stemmers();
  beforeAll(() => stemmers.load(LANGUAGES));

  /** Without what is the same object or not. */
  const plain = (query: string, words?: QueryWords) => {
    const { terms, phrases } = queryTerms(query, LANGUAGES, stemmers, words);
    const spoken = terms.map(({ forms, alternatives }) =>
      alternatives.map((text) => forms && [...(forms.spokenIn(text) ?? ["all"])]),
    );
    return JSON.stringify({ terms, phrases, spoken });
  };

  test("are read as at first, in whatever queries they came before", () => {
    const words = new QueryWords(LANGUAGES, stemmers);
    fc.assert(
      fc.property(queries, (several) => {
        for (const query of several.map((each) => each.join(" ")))
          expect(plain(query, words)).toBe(plain(query));
      }),
    );
  });

  test("are no more than a fixed number, and others are read as before", () => {
    const words = new QueryWords(LANGUAGES, stemmers);
    const first = words.read("programs", "latin");
    expect(words.read("programs", "latin")).toBe(first);
    for (let i = 0; i < SEARCH_DEFAULTS.rememberedWords; i++) words.read(`word${i}`, "latin");
    const later = words.read("programs", "latin");
    expect(later).not.toBe(first);
    expect(later).toEqual(first);
  });
});

test("terms with the same alternatives in other languages are looked up again", () => {
  const memory = new TermMemory();
  const termOf = (forms: WordForms | undefined): QueryTerm => ({
    alternatives: ["fur", "furs"],
    forms,
    kind: "word",
    position: 0,
    surface: "fur",
    questionIn: [],
  });
  const asked = [undefined, new WordForms("latin", ["de"]), new WordForms("latin", ["en"])].map(termOf);
  const found = asked.map(({ forms }) => ({ forms, each: [], frequencies: new Map(), entries: [] }));
  const lookUps: number[] = [];
  for (const at of [0, 0, 1, 1, 2, 2, 1])
    expect(
      memory.get("fur\nfurs", asked[at]!, () => {
        lookUps.push(at);
        return found[at]!;
      }),
    ).toBe(found[at]);
  expect(lookUps).toEqual([0, 1, 2, 1]);
});

test("an index ranks as a new one does, whatever it was asked before", async () => {
  const texts: readonly (readonly [lang: string, text: string])[] = [
    ["en", "the program of the theme park"],
    ["en", "programs that run at home and furs"],
    ["de", "ein Programm für große Häuser"],
    ["de", "das Thema der grosse Programme"],
    ["tr", "evlerde them the tema"],
    ["tr", "evler program programme"],
    ["hi", "हिन्दी नदी"],
    ["ar", "قلم و كتاب"],
    ["vi", "đồng hồ"],
    ["ja", "犬と散歩"],
  ];
  const documents = texts.map(([lang, text], i) => ({ id: `d${i}`, lang, text }));
  const all = RowSet.all(documents.length);
  const ask = async (index: Awaited<ReturnType<typeof buildMemoryIndex>>, query: string) =>
    index.rank(query, all, { limit: 10, mode: "keyword" });
  const asked = await buildMemoryIndex(documents);
  const fresh = new Map<string, unknown>();
  await fc.assert(
    fc.asyncProperty(queries, async (several) => {
      for (const query of several.map((each) => each.join(" "))) {
        if (!fresh.has(query)) fresh.set(query, await ask(await buildMemoryIndex(documents), query));
        expect(await ask(asked, query)).toEqual(fresh.get(query));
      }
    }),
    { numRuns: 25 },
  );
});
