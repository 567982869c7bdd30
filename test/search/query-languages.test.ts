import { beforeAll, describe, expect, it } from "vitest";
import { RowSet } from "../../src/contract/lake/row-set.js";
import { queryLanguages } from "../../src/search/keyword/ranking/query-languages.js";
import { buildMemoryIndex } from "../../src/search/memory/memory-index.js";
import type { SearchIndex } from "../../src/search/search-index.js";

/** A hundred texts of a large language for one of a small one, of equal length. */
const SIZES: readonly [language: string, documents: number][] = [
  ["en", 100_000],
  ["de", 1_000],
];
const languages = new Map(
  SIZES.map(([language, documents]) => [language, { documents, length: documents * 100, typical: 100 }]),
);

/** Which language a query of words is in, each with its number of documents in English and in German. */
function likely(...words: readonly (readonly [english: number, german: number])[]) {
  const terms = words.map(([en, de]) => ({
    kind: "word" as const,
    frequencies: new Map([["en", en] as const, ["de", de] as const].filter(([, documents]) => documents > 0)),
  }));
  const found = queryLanguages(terms, { languages });
  return [found.get("en")!, found.get("de")!] as const;
}

describe("the language of a query", () => {
  it("is told by function words, however few the language's texts are", () => {
    const [first, second] = likely([60_000, 30]);
    expect(first).toBe(1);
    expect(second).toBeLessThan(0.05);
    const [english, german] = likely([200, 700], [3_000, 600]);
    expect(german).toBe(1);
    expect(english).toBeLessThan(0.01);
  });

  it("is not told by how often the languages speak of a name", () => {
    const [english, german] = likely([4, 4], [5, 4], [40, 4]);
    expect(english).toBe(1);
    expect(german).toBeGreaterThan(0.1);
  });

  it("is told by a rare word that one language alone has", () => {
    expect(likely([4, 4], [0, 3])[1]).toBe(1);
    expect(likely([4, 4], [3, 0])[0]).toBe(1);
  });
});

const CAMPUS: readonly [language: string, text: string][] = [
  [
    "de",
    "Auf dem Campus der University of Chicago stehen die ersten Gebäude; andere Bauten kamen später dazu.",
  ],
  ["en", "The first buildings of the University of Chicago campus stand there, and others came later on."],
  [
    "es",
    "Los primeros edificios del campus de la University of Chicago siguen allí, y otros llegaron después.",
  ],
];
const ENGLISH = [
  "a dog and the cat",
  "the price of bread",
  "rain in the north",
  "a train and the sea",
  "of salt",
];
const GERMAN = [
  "die Katze und der Hund",
  "andere Preise als im Winter",
  "Regen an der See",
  "das Brot im Norden",
];
const SPANISH = ["el perro y el gato", "los precios de la casa", "lluvia en el norte", "el pan del norte"];

describe("names in a lake of one large language and small ones", () => {
  let index: SearchIndex;
  const total = CAMPUS.length + 400 + 2 * 20;
  beforeAll(async () => {
    const of = (language: string, texts: readonly string[], count: number) =>
      Array.from({ length: count }, (_, i) => [language, `${texts[i % texts.length]} ${i}`] as const);
    const texts = [...CAMPUS, ...of("en", ENGLISH, 400), ...of("de", GERMAN, 20), ...of("es", SPANISH, 20)];
    index = await buildMemoryIndex(texts.map(([lang, text], i) => ({ id: `web_enc_${i}`, lang, text })));
  });

  it.each([
    ["the University of Chicago campus", 1],
    ["campus der University of Chicago", 0],
    ["campus de la University of Chicago", 2],
  ])("finds the text in the language of the words around them: %s", async (query, at) => {
    for (const mode of ["keyword", "hybrid"] as const) {
      const { rows } = await index.rank(query, RowSet.all(total), { limit: 1, mode });
      expect([mode, rows]).toEqual([mode, [at]]);
    }
  });
});
